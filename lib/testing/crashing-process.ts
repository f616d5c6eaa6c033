import type { Clock } from '../ports/clock.ts';
import type { AcceptPorts, DrivePorts } from '../runner/runner-ports.ts';

/** Where a process stops: at the `call`-th port call (from 1) of its deployment, before it or after its effect. */
export interface CrashPoint {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** Counts the port calls of a deployment over all its processes, and tells where one is to stop. */
export class CrashPlan {
  private readonly points: readonly CrashPoint[];
  private count = 0;
  /** Names of the port calls so far. */
  readonly calls: string[] = [];

  constructor(points: readonly CrashPoint[]) {
    this.points = points;
  }

  next(name: string): CrashPoint['when'] | undefined {
    this.calls.push(name);
    this.count += 1;
    return this.points.find(({ call }) => call === this.count)?.when;
  }
}

type Ports = AcceptPorts & DrivePorts;

/** One function process: its ports work until it stops; then nothing of it goes on. */
export class CrashingProcess {
  readonly ports: Ports;
  /** Resolves when the process stops. */
  readonly stopped: Promise<void>;
  private isStopped = false;
  private readonly markStopped: () => void;
  private readonly plan: CrashPlan;

  constructor(ports: Ports, plan: CrashPlan) {
    this.plan = plan;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.stopped = promise;
    this.markStopped = resolve;
    this.ports = {
      items: this.wrap('items', ports.items),
      payloads: this.wrap('payloads', ports.payloads),
      wakes: this.wrap('wakes', ports.wakes),
      outputs: this.wrap('outputs', ports.outputs),
      polls: this.wrap('polls', ports.polls),
      deadLetters: this.wrap('deadLetters', ports.deadLetters),
      clock: this.wrapClock(ports.clock),
      trace: { write: (record) => this.isStopped || ports.trace.write(record) },
      createToken: ports.createToken,
    };
  }

  /** Stops the process between two of its port calls. */
  stop(): void {
    this.isStopped = true;
    this.markStopped();
  }

  private wrap<Port extends object>(name: string, port: Port): Port {
    return new Proxy(port, {
      get: (target, member) => {
        const method: unknown = Reflect.get(target, member);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => this.call(`${name}.${String(member)}`, () => method.apply(target, args));
      },
    });
  }

  private async call(name: string, perform: () => Promise<unknown>): Promise<unknown> {
    if (this.isStopped) return forever();
    const when = this.plan.next(name);
    if (when === 'before') this.stop();
    if (this.isStopped) return forever();
    const result = perform();
    if (when === 'after') {
      await result.catch(() => {});
      this.stop();
    }
    return this.isStopped ? forever() : result;
  }

  private wrapClock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      after: (millis, callback, kind) => clock.after(millis, () => this.isStopped || callback(), kind),
    };
  }
}

const forever = (): Promise<never> => new Promise(() => {});
