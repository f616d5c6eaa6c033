import type { World } from './world.ts';

const FIRST_CAPACITY = 1 << 16;
const REQUEST_STATES = { waiting: 0, 'in-flight': 1, done: 2 } as const;

/**
 * The states that were met, by 64 bits of hash each. Of ten million states two share their bits with a probability below 1 in 300,000;
 * then one of them would not be explored further.
 */
export class StateSet {
  private table = new Int32Array(2 * FIRST_CAPACITY);
  private capacity = FIRST_CAPACITY;
  private count = 0;
  private high = 0;
  private low = 0;

  get size(): number {
    return this.count;
  }

  /** Whether the state is new; a new one is remembered. */
  add(world: World): boolean {
    this.hash(world);
    if (!this.put(this.high, this.low)) return false;
    this.count += 1;
    if (this.count * 2 > this.capacity) this.grow();
    return true;
  }

  private put(high: number, low: number): boolean {
    const { table, capacity } = this;
    // Both words zero mark a free place.
    const word = high === 0 && low === 0 ? 1 : low;
    let at = (word ^ (high << 7)) & (capacity - 1);
    for (;;) {
      const storedHigh = table[2 * at];
      const storedLow = table[2 * at + 1];
      if (storedHigh === high && storedLow === word) return false;
      if (storedHigh === 0 && storedLow === 0) break;
      at = (at + 1) & (capacity - 1);
    }
    table[2 * at] = high;
    table[2 * at + 1] = word;
    return true;
  }

  private grow(): void {
    const { table, capacity } = this;
    this.capacity = capacity * 2;
    this.table = new Int32Array(2 * this.capacity);
    for (let at = 0; at < capacity; at += 1) {
      const high = table[2 * at] ?? 0;
      const low = table[2 * at + 1] ?? 0;
      if (high !== 0 || low !== 0) this.put(high, low);
    }
  }

  private hash(world: World): void {
    this.high = 0x2545f491;
    this.low = 0x9e3779b9 | 0;
    world.items.forEach((item, place) => {
      if (!item) return;
      this.mix(place);
      this.mix(item);
    });
    this.mixAll(world.processes);
    this.mixAll(world.wakes);
    this.mixAll(world.sent);
    this.mixAll(world.observed);
    for (const request of world.requests) this.mix(REQUEST_STATES[request]);
    this.mix(world.now % 0x7fffffff);
    this.mix(world.left.crashes);
    this.mix(world.left.extraWakes);
    this.mix(world.left.sweeps);
    this.mix(world.left.clockSteps);
  }

  private mixAll(numbers: readonly number[]): void {
    this.mix(-1);
    for (const number of numbers) this.mix(number);
  }

  /** One round of MurmurHash3 in each of two lanes with constants of their own, which also feed each other. */
  private mix(value: number): void {
    let a = Math.imul(value, 0xcc9e2d51);
    a = Math.imul((a << 15) | (a >>> 17), 0x1b873593);
    this.low ^= a;
    this.low = (Math.imul((this.low << 13) | (this.low >>> 19), 5) + 0xe6546b64) | 0;
    let b = Math.imul(value ^ this.low, 0x85ebca6b);
    b = Math.imul((b << 16) | (b >>> 16), 0xc2b2ae35);
    this.high ^= b;
    this.high = (Math.imul((this.high << 11) | (this.high >>> 21), 5) + 0x38b34ae5) | 0;
  }
}
