import { oneLine, shorten } from './plain-text.ts';

const GAP = '  ';

/** Rows under their headings, in columns as wide as needed. Only the last column is cut to the width of the terminal. */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
): string {
  const lines = [headings, ...rows.map((row) => row.map(oneLine))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => {
      const padded = line.slice(0, -1).map((cell, column) => cell.padEnd(widths[column] ?? 0));
      const start = [...padded, ''].join(GAP);
      const room = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(columns - start.length, 10);
      return `${start}${shorten(line.at(-1) ?? '', room)}`.trimEnd();
    })
    .join('\n');
}
