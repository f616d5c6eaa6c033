import type { ParsedFile } from './parsed-diff.ts';

export interface AddedLine {
  readonly line: number;
  /** Without its line ending. */
  readonly text: string;
  /** `none` for the last line of a file without newline at its end. */
  readonly ending: 'lf' | 'crlf' | 'none';
}

/** The added lines of a file, in order. */
export function* addedLines(file: Pick<ParsedFile, 'blocks' | 'unterminatedAt'>): Generator<AddedLine> {
  for (const { line: start, texts } of file.blocks) {
    for (const [offset, text] of texts.entries()) {
      const line = start + offset;
      if (line === file.unterminatedAt) yield { line, text, ending: 'none' };
      else if (text.endsWith('\r')) yield { line, text: text.slice(0, -1), ending: 'crlf' };
      else yield { line, text, ending: 'lf' };
    }
  }
}
