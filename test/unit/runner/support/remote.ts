/** A remote system that remembers what it was asked for, by idempotency key. */
export class Remote {
  private readonly results = new Map<string, string>();
  private readonly tries = new Map<string, number>();

  /** Acts once for each key; the same key again is a second effect, which `counts` shows. */
  act(key: string): string {
    this.tries.set(key, (this.tries.get(key) ?? 0) + 1);
    const result = `${key} done`;
    this.results.set(key, result);
    return result;
  }

  /** Fails the first `failures` times it is asked for the key. */
  actAfter(failures: number, key: string): string {
    const tries = (this.tries.get(`${key} tries`) ?? 0) + 1;
    this.tries.set(`${key} tries`, tries);
    if (tries <= failures) throw new Error(`${key} is not ready`);
    return this.act(key);
  }

  find(key: string): string | undefined {
    return this.results.get(key);
  }

  /** How often it acted for the key. */
  count(key: string): number {
    return this.tries.get(key) ?? 0;
  }

  reset(): void {
    this.results.clear();
    this.tries.clear();
  }
}
