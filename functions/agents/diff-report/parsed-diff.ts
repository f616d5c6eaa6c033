import * as z from 'zod';

const count = z.number().int().min(0);

/** One file of a diff as the report shows it. */
export const fileSummary = z.object({
  path: z.string(),
  /** Where a renamed or copied file came from. */
  oldPath: z.string().optional(),
  /** `combined`: a merge compared with all its parents; its counts are those of lines that differ from any of them. */
  status: z.enum(['added', 'deleted', 'renamed', 'copied', 'modified', 'mode-changed', 'combined']),
  binary: z.boolean(),
  added: count,
  removed: count,
  mode: z.object({ from: z.string(), to: z.string() }).optional(),
});

/** Consecutive added lines; `line` is the number of the first in the new file. Texts keep a CR before the line feed. */
const addedBlock = z.object({ line: count, texts: z.array(z.string()) });

/** What the inspection needs of a file: the added lines, and of all other lines a word. */
const parsedFile = fileSummary.extend({
  blocks: z.array(addedBlock),
  contextEndings: z.enum(['none', 'lf', 'crlf', 'mixed']),
  /** The last line of the new file, when it is an added one without newline. */
  unterminatedAt: count.optional(),
  /** Whether the old file had no newline at its end either. */
  unterminatedBefore: z.boolean(),
  /** What could not be read in the file's part of the diff. */
  problems: z.array(z.string()),
});

/** What could not be read outside the files. */
const parseProblem = z.object({ kind: z.enum(['not-a-diff', 'malformed-diff']), message: z.string() });

/** A parsed diff without its unchanged and removed lines. */
export const parsedDiff = z.object({ files: z.array(parsedFile), problems: z.array(parseProblem) });

export type FileSummary = z.infer<typeof fileSummary>;

/** What the lines before the first hunk say about a file. */
export type FileHeader = Omit<FileSummary, 'added' | 'removed'>;

export type AddedBlock = z.infer<typeof addedBlock>;
export type ParsedFile = z.infer<typeof parsedFile>;
export type ParseProblem = z.infer<typeof parseProblem>;
export type ParsedDiff = z.infer<typeof parsedDiff>;
