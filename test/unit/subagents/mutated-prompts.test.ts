import { EventType, OutputEvent, ResourceType, RunStatus, type SubagentCall } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { JobService } from './support/job-service.ts';
import { agentWith, simulate } from './support/simulation.ts';

interface Prompt {
  part: number;
}

const partOf = ({ prompt }: SubagentCall): number => (prompt as Prompt).part;

describe('a prompt that is changed after submit', () => {
  it('by its author is what it was, for every hook', async () => {
    const service = new JobService({ status: (_call, nth) => (nth > 1 ? RunStatus.completed() : RunStatus.running()) });
    const seen: string[] = [];
    const note = service.note.bind(service);
    service.note = (hook, call) => {
      seen.push(`${hook} ${partOf(call)}`);
      note(hook, call);
    };
    const agent = agentWith(service).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const prompt: Prompt = { part: 1 };
      const first = remote.submit(prompt);
      prompt.part = 2;
      const second = remote.submit(prompt);
      prompt.part = 3;
      await Promise.all([first, second]);
      ctx.sendEvent(OutputEvent('sent'));
    });
    expect(await simulate(agent, service).run('asks', null)).toMatchObject({ outputs: ['sent'] });
    expect([...new Set(seen)].sort()).toEqual(['fetch 1', 'fetch 2', 'status 1', 'status 2', 'submit 1', 'submit 2']);
  });

  it('by a hook is the same for the others and for the author', async () => {
    const probed: number[] = [];
    const service = new JobService({
      submit: (call) => {
        (call.prompt as Prompt).part = 99;
      },
      status: (call) => {
        probed.push(partOf(call));
        return RunStatus.completed();
      },
    });
    const agent = agentWith(service).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const prompt: Prompt = { part: 1 };
      await ctx.getResource('remote', ResourceType.AGENT).submit(prompt);
      ctx.sendEvent(OutputEvent(prompt.part));
    });
    expect(await simulate(agent, service).run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: [1] });
    expect(probed).toEqual([1]);
  });
});
