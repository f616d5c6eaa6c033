import type { AddedBlock, FileHeader, ParsedFile } from './parsed-diff.ts';

/** One line of a hunk. */
export interface HunkLine {
  readonly kind: 'added' | 'removed' | 'context';
  /** Without the prefix of the hunk, with the CR of a CRLF ending. */
  readonly text: string;
  /** Its number in the new file, for added and context lines. */
  readonly line: number;
  /** False when a "no newline at end of file" mark follows. */
  readonly terminated: boolean;
}

/** Sums up the hunk lines of one file and keeps the text of the added ones. */
export class FileTally {
  #added = 0;
  #removed = 0;
  readonly #blocks: AddedBlock[] = [];
  readonly #contextEndings = new Set<'lf' | 'crlf'>();
  readonly #problems: string[] = [];
  #unterminatedAt: number | undefined;
  #unterminatedBefore = false;

  add({ kind, text, line, terminated }: HunkLine): void {
    if (kind === 'removed') this.#removed += 1;
    if (kind === 'added') {
      this.#added += 1;
      this.#keep(line, text);
      if (!terminated) this.#unterminatedAt = line;
    } else if (!terminated) {
      this.#unterminatedBefore = true;
    }
    if (kind === 'context' && terminated) this.#contextEndings.add(text.endsWith('\r') ? 'crlf' : 'lf');
  }

  /** Notes what could not be read. */
  addProblem(message: string): void {
    this.#problems.push(message);
  }

  result(): Omit<ParsedFile, keyof FileHeader> {
    const [first = 'none', second] = this.#contextEndings;
    return {
      added: this.#added,
      removed: this.#removed,
      blocks: this.#blocks,
      contextEndings: second === undefined ? first : 'mixed',
      ...(this.#unterminatedAt !== undefined && { unterminatedAt: this.#unterminatedAt }),
      unterminatedBefore: this.#unterminatedBefore,
      problems: this.#problems,
    };
  }

  #keep(line: number, text: string): void {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.line + last.texts.length === line) last.texts.push(text);
    else this.#blocks.push({ line, texts: [text] });
  }
}
