import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const templateSchema = z.looseObject({ Resources: z.record(z.string(), z.looseObject({ Type: z.string() })) });

/**
 * Takes resources of these types out of an assembly's templates; nothing else in them may need one.
 * @returns the logical ids that were taken out
 */
export async function leaveOut(assemblyDirectory: string, types: readonly string[]): Promise<readonly string[]> {
  const taken: string[] = [];
  for (const name of await readdir(assemblyDirectory)) {
    if (!name.endsWith('.template.json')) continue;
    const file = join(assemblyDirectory, name);
    const template = templateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    const entries = Object.entries(template.Resources);
    const out = entries.filter(([, { Type }]) => types.includes(Type)).map(([id]) => id);
    const Resources = Object.fromEntries(entries.filter(([id]) => !out.includes(id)));
    const rest = JSON.stringify({ ...template, Resources });
    const needed = out.find((id) => rest.includes(`"${id}"`));
    if (needed) throw new Error(`${needed} is needed by others in ${name}. Do not leave it out.`);
    await writeFile(file, rest);
    taken.push(...out);
  }
  return taken;
}
