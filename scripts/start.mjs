// `npm start`, for any Node.js from 20 on: installs what is missing, then hands over to the pinned Node.js.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, pinnedNode, project } from './install.mjs';

ensureInstalled();

const child = spawn(pinnedNode, [join(project, 'scripts', 'start.ts'), ...process.argv.slice(2)], {
  cwd: project,
  // The channel tells the stack when this process is gone, however it went.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// npm's shell dies of a signal without passing it on; then this process has another parent.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) child.kill('SIGTERM');
}, 500).unref();
child.once('error', (error) => {
  console.error(`${pinnedNode} did not start: ${error.message}. Remove node_modules and run npm start again.`);
  process.exit(1);
});
child.once('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
