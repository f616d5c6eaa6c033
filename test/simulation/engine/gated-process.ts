import type { Clock } from '../../../lib/ports/clock.ts';
import type { ItemStore } from '../../../lib/ports/item-store.ts';
import type { AcceptPorts, DrivePorts } from '../../../lib/runner/runner-ports.ts';
import { INBOX_PREFIX } from '../../../lib/store/keys.ts';
import { noPolls } from '../../support/no-polls.ts';
import { codePlace } from './code-place.ts';

/** A port call that waits for its answer. */
export interface ParkedCall {
  /** Counts the port calls of the process, from 0. */
  readonly number: number;
  /** For instance `items.get`. */
  readonly name: string;
  readonly args: readonly unknown[];
  /** Where in the code it is made: `codePlace`. */
  readonly where: string;
}

export type Answer =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly message: string };

/** What a process finds around it while it goes on to its next port calls. */
export interface Surroundings {
  readonly now: number;
  /** A number that no other live driver of its run has in its token. */
  readonly driverNumber: number;
}

/** How a function ended. */
export type Ending =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown };

/** The ports of the functions, and one more for the world that a program's effects reach. */
export type SimulatedPorts = AcceptPorts & DrivePorts & { readonly remote: Remote };

export interface Remote {
  /** One side effect. */
  perform(name: string): Promise<string>;
  /** What a program's code has seen; not a step of its own. */
  observe(what: string): void;
}

interface WaitingCall extends ParkedCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

/** Turns of the event loop without a new port call after which nothing more can come: the engine drains microtasks with one turn each. */
const QUIET_TURNS = 3;
/** Turns after which a process that has no port call under way waits for a timer. */
const IDLE_TURNS = 40;

/** One invocation of a real function. Each of its port calls waits for an answer from outside, and so does time. */
export class GatedProcess {
  readonly observed: string[] = [];
  ending: Ending | undefined;
  /** The driver token, once it has been drawn. */
  token: string | undefined;
  /** Whether the segment since the last answer drew it. */
  drewToken = false;
  private surroundings: Surroundings;
  private readonly waiting = new Map<number, WaitingCall>();
  private readonly waitingTimers = new Map<number, Timer>();
  private calls = 0;
  private timers = 0;
  /** Epoch of the run as the process read it first: with the driver number it makes a token unique. */
  private epoch: number | undefined;

  constructor(surroundings: Surroundings) {
    this.surroundings = surroundings;
  }

  get parked(): readonly ParkedCall[] {
    return [...this.waiting.values()];
  }

  /** Numbers and due times of the timers that are set. */
  get timersSet(): readonly (readonly [number, number])[] {
    return Array.from(this.waitingTimers, ([number, { dueAt }]) => [number, dueAt] as const);
  }

  /** Starts the function and waits for its first port calls. */
  async start(invoke: (ports: SimulatedPorts) => Promise<unknown>): Promise<void> {
    invoke(this.ports()).then(
      (value) => {
        this.ending = { kind: 'returned', value };
      },
      (error: unknown) => {
        this.ending = { kind: 'threw', error };
      },
    );
    await this.quiet();
  }

  /** Answers a port call, and waits until the process has come to its next ones or to its end. */
  async answer(number: number, answer: Answer, surroundings: Surroundings): Promise<void> {
    const call = this.waiting.get(number);
    if (call === undefined) throw new Error(`Port call ${number} is not parked.`);
    this.waiting.delete(number);
    this.resume(surroundings);
    if (answer.kind === 'value') this.epoch ??= epochOf(answer.value);
    if (answer.kind === 'value') call.resolve(answer.value);
    else call.reject(new Error(answer.message));
    await this.quiet();
  }

  async fire(number: number, surroundings: Surroundings): Promise<void> {
    const timer = this.waitingTimers.get(number);
    if (timer === undefined) throw new Error(`Timer ${number} is not set.`);
    this.waitingTimers.delete(number);
    this.resume(surroundings);
    timer.callback();
    await this.quiet();
  }

  private resume(surroundings: Surroundings): void {
    this.surroundings = surroundings;
    this.drewToken = false;
  }

  private async quiet(): Promise<void> {
    let quietTurns = 0;
    let seen = -1;
    for (let turns = 0; ; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.ending) return;
      quietTurns = this.calls === seen ? quietTurns + 1 : 0;
      seen = this.calls;
      if (this.waiting.size > 0 && quietTurns >= QUIET_TURNS) return;
      if (turns < IDLE_TURNS) continue;
      if (this.waitingTimers.size > 0) return;
      throw new Error('The process waits for something that is neither a port call nor a timer.');
    }
  }

  private ports(): SimulatedPorts {
    const port = <Port extends object>(name: string): Port =>
      new Proxy({} as Port, {
        get: (_target, method) =>
          typeof method === 'string' && method !== 'then'
            ? (...args: unknown[]) => this.park(`${name}.${method}`, args)
            : undefined,
      });
    const clock: Clock = {
      now: () => this.surroundings.now,
      after: (millis, callback) => this.setTimer(millis, callback),
    };
    return {
      items: this.tornQueries(port<ItemStore>('items')),
      payloads: port('payloads'),
      wakes: port('wakes'),
      outputs: port('outputs'),
      polls: noPolls,
      deadLetters: port('deadLetters'),
      clock,
      trace: { write: () => {} },
      createToken: () => {
        this.drewToken = true;
        this.token = `driver-${this.epoch ?? 0}-${this.surroundings.driverNumber}`;
        return this.token;
      },
      remote: {
        perform: (name) => this.park('remote.perform', [name]) as Promise<string>,
        observe: (what) => void this.observed.push(what),
      },
    };
  }

  /** A query is no snapshot: HEAD of a key is read first, what stands behind it in another step. */
  private tornQueries(items: ItemStore): ItemStore {
    return {
      get: (key) => items.get(key),
      query: async (query) => {
        if (!query.pk.startsWith('KEY#') || query.prefix !== undefined || query.limit === undefined)
          return items.query(query);
        const head = await items.get({ pk: query.pk, sk: 'HEAD' });
        const limit = query.limit - (head ? 1 : 0);
        const behind = await items.query({ pk: query.pk, prefix: INBOX_PREFIX, limit });
        return head ? [head, ...behind] : behind;
      },
      put: (item, ...condition) => items.put(item, ...condition),
      update: (key, change, condition) => items.update(key, change, condition),
      delete: (key) => items.delete(key),
      queryDue: (query) => items.queryDue(query),
    };
  }

  private park(name: string, args: readonly unknown[]): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const number = this.calls;
    this.calls += 1;
    this.waiting.set(number, { number, name, args, where: codePlace(), resolve, reject });
    return promise;
  }

  private setTimer(millis: number, callback: () => void): () => void {
    const number = this.timers;
    this.timers += 1;
    this.waitingTimers.set(number, { dueAt: this.surroundings.now + millis, callback });
    return () => void this.waitingTimers.delete(number);
  }
}

const epochOf = (value: unknown): number | undefined =>
  typeof value === 'object' && value !== null && 'ep' in value && typeof value.ep === 'number' ? value.ep : undefined;
