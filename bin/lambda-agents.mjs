#!/usr/bin/env node
// The command line, for any Node.js from 20 on: hands over to the pinned Node.js, which runs TypeScript as it is.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const pinnedNode = join(project, 'node_modules', 'node', 'bin', 'node');

if (!existsSync(pinnedNode)) {
  console.error(`The dependencies are not installed. Run npm ci in ${project}.`);
  process.exit(69);
}

const child = spawn(pinnedNode, [join(project, 'lib', 'cli', 'main.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.once('error', (error) => {
  console.error(`${pinnedNode} did not start: ${error.message}. Run npm ci in ${project} again.`);
  process.exit(69);
});
child.once('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
