import * as z from 'zod';

const resourceSchema = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Metadata: z.record(z.string(), z.unknown()).default({}),
});

const templateSchema = z.object({
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })).default({}),
  Parameters: z.record(z.string(), z.object({ Default: z.unknown().optional() })).default({}),
});

/** A CloudFormation template, as far as it says what runs. */
export type Template = z.infer<typeof templateSchema>;

export type TemplateResource = z.infer<typeof resourceSchema>;

export const parseTemplate = (value: unknown): Template => templateSchema.parse(value);
