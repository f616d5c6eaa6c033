// Installs what package-lock.json asks for, when it is missing. Works with any Node.js from 20 on.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const project = dirname(dirname(fileURLToPath(import.meta.url)));
/** The Node.js that the project brings. */
export const pinnedNode = join(project, 'node_modules', 'node', 'bin', 'node');

export function ensureInstalled() {
  if (!isInstalled()) install();
}

/** Whether node_modules holds what package-lock.json asks for. */
function isInstalled() {
  const installed = readPackages(join(project, 'node_modules', '.package-lock.json'));
  const wanted = readPackages(join(project, 'package-lock.json'));
  return (
    existsSync(pinnedNode) &&
    Object.entries(wanted).every(
      // Optional packages of other platforms are not installed here.
      ([path, { version, optional, link }]) => path === '' || optional || link || installed[path]?.version === version,
    )
  );
}

function readPackages(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {};
}

function install() {
  console.log('Installing dependencies (npm ci) ...');
  const startedAt = Date.now();
  // The npm that runs this script, when there is one.
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [program, ...first] = npm;
  const { status, error, stdout, stderr } = spawnSync(program, [...first, 'ci', '--no-audit', '--no-fund'], {
    cwd: project,
    encoding: 'utf8',
  });
  if (status === 0) {
    console.log(`Installed in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);
    return;
  }
  const lines = `${stdout ?? ''}\n${stderr ?? ''}`.trim().split('\n').slice(-20);
  console.error(
    `npm ci failed (${error?.message ?? `exit status ${status}`}). Mend what it says.\n${lines.join('\n')}`,
  );
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureInstalled();
