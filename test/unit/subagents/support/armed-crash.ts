import { CrashPlan, type CrashPoint } from '../../../../lib/testing/crashing-process.ts';

/** Stops a process at its next port call of a name, once a test has armed it. */
export class ArmedCrash extends CrashPlan {
  hasStruck = false;
  #armed: { readonly name: string; readonly when: CrashPoint['when'] } | undefined;

  constructor() {
    super([]);
  }

  arm(name: string, when: CrashPoint['when']): void {
    this.#armed = { name, when };
  }

  override next(name: string): CrashPoint['when'] | undefined {
    if (this.#armed?.name !== name) return super.next(name);
    const { when } = this.#armed;
    this.#armed = undefined;
    this.hasStruck = true;
    return when;
  }
}
