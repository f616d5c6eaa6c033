import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
/** Inside the project, so that the snippets import `lambda-agents` as an author does. */
const FOLDER = join(ROOT, '.cache/snippets');
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The TypeScript of a page, as one module. */
function snippetsOf(page: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return Array.from(text.matchAll(/^```ts\n([\s\S]*?)^```$/gm), (match) => match[1]).join('\n');
}

const pages = PAGES.map((page) => ({ page, source: snippetsOf(page) })).filter(({ source }) => source !== '');
const fileOf = (page: string): string => join(FOLDER, `${basename(page, '.md')}.ts`);

beforeAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const { page, source } of pages) writeFileSync(fileOf(page), source);
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: ['*.ts'] }));
});

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

describe('snippets of the docs', () => {
  it('are there', () => {
    expect(pages.map(({ page }) => page)).toContain('README.md');
  });

  it('compile', () => {
    const tsc = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', FOLDER], { encoding: 'utf8' });
    expect(tsc.stdout).toBe('');
  });

  it.each(pages)('of $page run', async ({ page }) => {
    await expect(import(fileOf(page))).resolves.toBeDefined();
  });
});
