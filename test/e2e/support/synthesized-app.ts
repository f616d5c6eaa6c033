import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { synthesize } from '../../../lib/local/synthesize.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the synthesized app is, for all end-to-end tests. */
    readonly assemblyDirectory: string;
  }
}

/** Synthesizes the app once for all files of the project. The returned function removes it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'e2e-app-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    await synthesize({ projectDirectory: resolve(import.meta.dirname, '../../..'), outputDirectory: directory });
  } catch (error) {
    await remove();
    throw error;
  }
  project.provide('assemblyDirectory', directory);
  return remove;
}
