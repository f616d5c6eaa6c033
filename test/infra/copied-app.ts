import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { featureFlags, REPOSITORY } from './synth-stack.ts';

const run = promisify(execFile);

const assetsSchema = z.object({
  files: z.record(z.string(), z.object({ displayName: z.string(), source: z.object({ path: z.string() }) })),
});

/** A copy of the application in a directory whose name has a space, synthesized from another working directory. */
export class CopiedApp {
  readonly #directory: string;
  readonly #assembly: string;

  private constructor(directory: string) {
    this.#directory = directory;
    this.#assembly = join(directory, 'assembly');
  }

  static async create(): Promise<CopiedApp> {
    const app = new CopiedApp(await mkdtemp(join(tmpdir(), 'lambda agents ')));
    const at = (name: string) => join(app.#directory, 'app', name);
    for (const name of ['functions', 'infra', 'lib', 'package.json', 'package-lock.json']) {
      await cp(join(REPOSITORY, name), at(name), { recursive: true });
    }
    await symlink(join(REPOSITORY, 'node_modules'), at('node_modules'));
    // Agents may use CommonJS packages, and these call `require` for modules of Node.
    await writeFile(at('functions/agents/old-package.cjs'), "exports.shown = require('util').inspect({ a: 1 });\n");
    await appendFile(at('functions/agents/deployed.ts'), "import './old-package.cjs';\n");
    await run(process.execPath, [at('infra/app.ts')], {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH, CDK_OUTDIR: app.#assembly, CDK_CONTEXT_JSON: JSON.stringify(featureFlags) },
    });
    return app;
  }

  /** The built file of a function, without anything beside it that it could load. */
  async bundleOf(functionId: string): Promise<string> {
    const { files } = assetsSchema.parse(
      JSON.parse(await readFile(join(this.#assembly, 'Agents.assets.json'), 'utf8')),
    );
    const asset = Object.values(files).find(({ displayName }) => displayName.startsWith(`${functionId}/`));
    if (asset === undefined) throw new Error(`There is no bundle of ${functionId}`);
    return join(this.#assembly, asset.source.path, 'index.mjs');
  }

  /** Loads a bundle as Lambda does, in a process of its own, and calls its handler. */
  async invoke(functionId: string, event: unknown, variables: Readonly<Record<string, string>>): Promise<unknown> {
    const call = `
      const { handler } = await import(${JSON.stringify(await this.bundleOf(functionId))});
      const answer = await handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 60_000 });
      process.stdout.write('\\n' + JSON.stringify({ answer }));
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', call], {
      cwd: tmpdir(),
      env: { ...variables },
    });
    return JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))).answer;
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true });
  }
}
