import * as z from 'zod';

export const SEVERITIES = ['error', 'warning', 'info'] as const;

/** How much each kind of finding matters. */
export const SEVERITY_OF = {
  'not-a-diff': 'error',
  'malformed-diff': 'error',
  'conflict-marker': 'error',
  secret: 'error',
  'focused-test': 'error',
  'large-change': 'warning',
  'debug-output': 'warning',
  'mixed-line-endings': 'warning',
  'binary-file': 'info',
  'combined-diff': 'info',
  'no-newline-at-end': 'info',
  todo: 'info',
  whitespace: 'info',
} as const satisfies Record<string, (typeof SEVERITIES)[number]>;

export type FindingKind = keyof typeof SEVERITY_OF;

const KINDS = Object.keys(SEVERITY_OF) as FindingKind[];

/** Something in a diff that its author should look at. Never quotes a line, since a line may hold a secret. */
export const finding = z.object({
  /** Missing when the finding is about the diff as a whole. */
  file: z.string().optional(),
  /** The line in the new file; missing when the finding is about the file as a whole. */
  line: z.number().int().optional(),
  kind: z.enum(KINDS),
  severity: z.enum(SEVERITIES),
  message: z.string(),
});

export type Finding = z.infer<typeof finding>;

/** Builds a finding with the severity of its kind. */
export function findingOf(kind: FindingKind, message: string, place: { file?: string; line?: number } = {}): Finding {
  return { ...place, kind, severity: SEVERITY_OF[kind], message };
}
