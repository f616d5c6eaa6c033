import type { AgentDefinition } from '../agent/define-agent.ts';
import type { RunnerContext } from '../agent/runner-context.ts';
import type { DurableCall } from '../durable/durable-call.ts';
import type { Event } from '../events/event.ts';

interface Effect {
  readonly name: string;
  readonly semantics: 'plain' | 'reconciled' | 'at-most-once';
  started: number;
  completed: number;
  /** The action was shown the outcome. */
  shown: boolean;
  startedAfterShown: number;
}

/** Watches the bodies of durable calls, so that a test can tell whether an effect happened twice. */
export class EffectLog {
  private readonly effects = new Map<string, Effect>();

  /** The same agents, their durable calls watched. */
  watch(agents: readonly AgentDefinition[]): readonly AgentDefinition[] {
    return agents.map((agent) => ({
      ...agent,
      actions: agent.actions.map((action) => ({
        ...action,
        run: (event: never, ctx: never) => action.run(event, this.watchContext(event, ctx) as never),
      })),
    }));
  }

  /** What happened more often than was promised, in words. */
  violations(): readonly string[] {
    return Array.from(this.effects.values()).flatMap((effect) => {
      const found: string[] = [];
      if (effect.startedAfterShown > 0) found.push(`${effect.name} ran again after its outcome was recorded`);
      if (effect.semantics === 'reconciled' && effect.completed > 1)
        found.push(`${effect.name} has a reconciler and took effect ${effect.completed} times`);
      if (effect.semantics === 'at-most-once' && effect.started > 1)
        found.push(`${effect.name} is at-most-once and was started ${effect.started} times`);
      return found;
    });
  }

  private watchContext(event: Event, ctx: RunnerContext): RunnerContext {
    const occurrences = new Map<string, number>();
    return {
      ...ctx,
      durableExecute: <T>(call: DurableCall<T>): Promise<T> => {
        const occurrence = occurrences.get(call?.id) ?? 0;
        occurrences.set(call?.id, occurrence + 1);
        const effect = this.effectOf(`${ctx.runId} ${ctx.actionName} ${event.id} ${call?.id}#${occurrence}`, call);
        const promise = ctx.durableExecute(
          typeof call?.call === 'function' ? { ...call, call: (signal) => runWatched(effect, call, signal) } : call,
        );
        // Past the promise's own `then`: that would count as the action waiting for it.
        void Promise.prototype.then.call(
          promise,
          () => markShown(effect),
          () => markShown(effect),
        );
        return promise;
      },
    };
  }

  private effectOf<T>(name: string, call: DurableCall<T>): Effect {
    const semantics = call?.reconcile ? 'reconciled' : call?.semantics === 'at-most-once' ? 'at-most-once' : 'plain';
    const effect = this.effects.get(name) ?? {
      name,
      semantics,
      started: 0,
      completed: 0,
      shown: false,
      startedAfterShown: 0,
    };
    this.effects.set(name, effect);
    return effect;
  }
}

async function runWatched<T>(effect: Effect, call: DurableCall<T>, signal: AbortSignal): Promise<T> {
  effect.started += 1;
  if (effect.shown) effect.startedAfterShown += 1;
  const value = await call.call(signal);
  effect.completed += 1;
  return value;
}

const markShown = (effect: Effect): void => {
  effect.shown = true;
};
