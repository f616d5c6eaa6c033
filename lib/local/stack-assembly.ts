import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { localStackError } from './local-stack-error.ts';
import { parseTemplate, type Template } from './template.ts';

const manifestSchema = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z.object({ templateFile: z.string().optional(), file: z.string().optional() }).optional(),
    }),
  ),
});

const assetsSchema = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.object({ path: z.string().optional() }),
      destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
    }),
  ),
});

/** What `cdk synth` wrote about one stack. */
export interface StackAssembly {
  readonly stackName: string;
  readonly template: Template;
  /** Directories of the bundles by the S3 key under which a deployment would upload them. */
  readonly assetDirectories: ReadonlyMap<string, string>;
}

/**
 * Reads a cloud assembly.
 * @param stackName needed only when the app has several stacks
 */
export async function readStackAssembly(directory: string, stackName?: string): Promise<StackAssembly> {
  const manifest = manifestSchema.parse(await readJson(join(directory, 'manifest.json')));
  const artifacts = Object.entries(manifest.artifacts);
  const stacks = artifacts.filter(([, artifact]) => artifact.type === 'aws:cloudformation:stack');
  const names = stacks.map(([name]) => name);
  const chosen = stacks.filter(([name]) => stackName === undefined || name === stackName);
  const [stack] = chosen;
  if (stack === undefined || chosen.length > 1) {
    throw localStackError(
      `The app has the stacks ${names.join(', ') || '(none)'}; one of them is needed. Name it with stackName.`,
    );
  }
  const [name, { properties }] = stack;
  const template = parseTemplate(await readJson(join(directory, properties?.templateFile ?? `${name}.template.json`)));
  const assetFile = manifest.artifacts[`${name}.assets`]?.properties?.file;
  const assets =
    assetFile === undefined ? { files: {} } : assetsSchema.parse(await readJson(join(directory, assetFile)));
  return { stackName: name, template, assetDirectories: directoriesByKey(directory, assets) };
}

function directoriesByKey(directory: string, assets: z.infer<typeof assetsSchema>): ReadonlyMap<string, string> {
  const directories = new Map<string, string>();
  for (const { source, destinations } of Object.values(assets.files)) {
    if (source.path === undefined) continue;
    for (const { objectKey } of Object.values(destinations))
      directories.set(objectKey, resolve(directory, source.path));
  }
  return directories;
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw localStackError(`${path} cannot be read. Run "cdk synth" into this directory first.`, { cause });
  });
  return JSON.parse(text);
}
