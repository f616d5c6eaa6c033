import * as z from 'zod';
import type { AgentDefinition } from '../../lib/agent/define-agent.ts';
import { defineAgent, EventType, OutputEvent } from '../../lib/index.ts';
import type { RunRecord } from '../../lib/store/run-record.ts';
import type { Answer, Remote } from './engine/gated-process.ts';

/** Does nothing: what is left is the order of the runs. */
export const idle = (): readonly AgentDefinition[] => [
  defineAgent({ name: 'agent' }).addAction('act', EventType.InputEvent, () => {}),
];

/** One plain durable call, whose failure ends the run. */
export const effect = (remote: Remote): readonly AgentDefinition[] => [
  defineAgent({ name: 'agent' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
    await ctx.durableExecute({ id: 'effect', call: () => remote.perform(ctx.runId) });
  }),
];

/** Counts the runs of its key in short-term memory, and puts the count out. */
export const tally = (): readonly AgentDefinition[] => [
  defineAgent({ name: 'agent' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
    const count = ((await ctx.shortTermMemory.get('count', z.number())) ?? 0) + 1;
    ctx.shortTermMemory.set('count', count);
    ctx.sendEvent(OutputEvent(count));
  }),
];

/** Sees two parallel calls end in some order, then makes a call that may fail. */
export const race = (remote: Remote): readonly AgentDefinition[] => [
  defineAgent({ name: 'agent' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
    const watch = async (id: string): Promise<void> => {
      await ctx.durableExecute({ id, call: () => remote.perform(id) });
      remote.observe(id);
    };
    await Promise.all([watch('a'), watch('b')]);
    await ctx.durableExecute({ id: 'last', call: () => remote.perform(ctx.runId) });
  }),
];

/** Effects in the name of a run fail until the run was redriven; all others succeed. */
export const mendedBeforeRedrive =
  (broken: string) =>
  (name: string, run: (runId: string) => RunRecord | undefined): Answer =>
    name === broken && run(broken)?.redrives === 0
      ? { kind: 'error', message: 'It is broken.' }
      : { kind: 'value', value: name };
