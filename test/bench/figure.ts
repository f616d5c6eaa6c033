/** One measured figure: a ratio wherever there is something to compare with in the same run. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What the design asks for. */
  readonly limit: string;
  readonly holds: boolean;
}

/** A figure that must not be above its limit. */
export const atMost = (name: string, value: number, unit: string, limit: number): Figure => ({
  name,
  value: round(value),
  unit,
  limit: `<= ${limit}`,
  holds: value <= limit,
});

/** A figure that must not be below its limit. */
export const atLeast = (name: string, value: number, unit: string, limit: number): Figure => ({
  name,
  value: round(value),
  unit,
  limit: `>= ${limit}`,
  holds: value >= limit,
});

const round = (value: number): number => Number(value.toPrecision(4));

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
