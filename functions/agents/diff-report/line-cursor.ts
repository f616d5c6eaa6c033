/** Walks over the lines of a diff. Lines are split at line feeds only, so a CR stays part of its line. */
export class LineCursor {
  readonly #lines: readonly string[];
  #index = 0;

  constructor(text: string) {
    const lines = text.replace(/^\uFEFF/, '').split('\n');
    if (lines.at(-1) === '') lines.pop();
    // A diff's own header lines end in LF. When every line ends in CRLF, the transport wrote the CR, not the files.
    this.#lines = lines.every((line) => line.endsWith('\r')) ? lines.map((line) => line.slice(0, -1)) : lines;
  }

  /** The number of the next line, from 1. */
  get lineNumber(): number {
    return this.#index + 1;
  }

  peek(): string | undefined {
    return this.#lines[this.#index];
  }

  /** A line ahead without its CR, as header lines are read; past the end it is empty. */
  peekHeader(ahead = 0): string {
    const line = this.#lines[this.#index + ahead] ?? '';
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  advance(lines = 1): void {
    this.#index += lines;
  }
}
