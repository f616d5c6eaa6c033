/** Gives equal values equal small numbers, so that states are compared and stored as numbers. */
export class Interner<T> {
  private readonly ids = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly values: T[] = [];

  get size(): number {
    return this.values.length;
  }

  id(value: T): number {
    const text = JSON.stringify(value);
    const known = this.ids.get(text);
    if (known !== undefined) return known;
    const id = this.values.length;
    this.ids.set(text, id);
    this.texts.push(text);
    this.values.push(JSON.parse(text) as T);
    return id;
  }

  /** Shared by all who ask: not to be changed. */
  value(id: number): T {
    const value = this.values[id];
    if (value === undefined) throw new Error(`Nothing is interned as ${id}.`);
    return value;
  }

  /** A copy of one's own. */
  fresh(id: number): T {
    return JSON.parse(this.texts[id] ?? '') as T;
  }
}
