import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SubagentCompletion } from 'lambda-agents';
import type { Item } from '../../lib/ports/item-store.ts';

/** An item as a write left it; `null`: the write deleted it. */
export interface GoldenWrite {
  readonly key: readonly [pk: string, sk: string];
  readonly item: Item | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What a scripted service was told with a job. */
export interface GoldenJob {
  readonly key: string;
  readonly completion: SubagentCompletion;
}

/** Everything that a program recorded, and how it ended. */
export interface GoldenJournal {
  readonly writes: readonly GoldenWrite[];
  /** Texts outside of the table, with the folder that they were put into. */
  readonly payloads: readonly { readonly folder: string; readonly text: string }[];
  /** @default not recorded: nothing comes back of it by a message */
  readonly jobs?: readonly GoldenJob[];
  /** What a receiver got, each message once, by run. */
  readonly messages: Readonly<Record<string, readonly unknown[]>>;
}

const FOLDER = join(import.meta.dirname, 'journals');
const CHECKSUMS = join(import.meta.dirname, 'checksums.json');

export const fileOf = (program: string): string => `${program.replaceAll(/[ ,]+/g, '-')}.json`;

/** The files that there are. */
export const journalFiles = (): readonly string[] => readdirSync(FOLDER).sort();

/** SHA-256 by file, of every journal that was ever recorded. */
export const readChecksums = (): Readonly<Record<string, string>> => JSON.parse(readFileSync(CHECKSUMS, 'utf8'));

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** `undefined`: there is no such file. */
export const digestOfFile = (file: string): string | undefined =>
  existsSync(join(FOLDER, file)) ? digestOf(readFileSync(join(FOLDER, file), 'utf8')) : undefined;

/** As it reads for processes of another time: tokens of writers were unique, those of the simulation are counted. */
export function readJournal(program: string): GoldenJournal {
  const text = readFileSync(join(FOLDER, fileOf(program)), 'utf8');
  return JSON.parse(text.replaceAll(/\bdriver-(?=\d)/g, 'earlier-driver-')) as GoldenJournal;
}

/** @throws Error when the program was recorded before */
export function writeJournal(program: string, journal: GoldenJournal): void {
  const file = fileOf(program);
  const checksums = readChecksums();
  if (file in checksums || existsSync(join(FOLDER, file))) {
    throw new Error(
      `The journal of "${program}" is recorded in ${file}, and runs like it may still be open somewhere. Restore the file if it is gone; for a new behaviour add a new program.`,
    );
  }
  const { writes, payloads, jobs = [], messages } = journal;
  const parts = [
    `"writes":${linesOf(writes)}`,
    `"payloads":${linesOf(payloads)}`,
    `"jobs":${linesOf(jobs)}`,
    `"messages":${JSON.stringify(messages)}`,
  ];
  const text = `{${parts.join(',\n')}}\n`;
  writeFileSync(join(FOLDER, file), text);
  const all = Object.entries({ ...checksums, [file]: digestOf(text) }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(CHECKSUMS, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}

const linesOf = (values: readonly unknown[]): string =>
  values.length === 0 ? '[]' : `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]`;
