import { afterEach, describe, expect, it } from 'vitest';
import { SfnPollScheduler } from '../../../lib/adapters/sfn-poll-scheduler.ts';
import type { Poller } from '../../../lib/ports/poll-scheduler.ts';
import { createLocalClients } from '../../contract/support/local-clients.ts';
import { openScriptedServer, type ScriptedServer, type ServiceReply } from './support/scripted-server.ts';

const stateMachineArn = 'arn:aws:states:us-east-1:000000000000:stateMachine:Poller';
const poller: Poller = { runId: 'order-17', ttl: 1_800_000_000, intervalMillis: 2_500, generation: 3 };

const started = (): ServiceReply => ({ body: JSON.stringify({ executionArn: 'arn', startDate: 1_700_000_000 }) });
const refused = (type: string) => (): ServiceReply => ({ status: 400, body: JSON.stringify({ __type: type }) });

describe('SfnPollScheduler', () => {
  let server: ScriptedServer | undefined;
  afterEach(() => server?.close());

  const open = async (script: readonly (() => ServiceReply)[]) => {
    const opened = await openScriptedServer(script);
    server = opened;
    const { sfn } = createLocalClients({ sfn: opened.endpoint });
    return {
      scheduler: new SfnPollScheduler({ client: sfn, stateMachineArn }),
      sent: () => opened.requests.map(({ operation, body }) => ({ operation, ...JSON.parse(body) })),
    };
  };

  it('starts an execution with the first round, under a name that no version may change', async () => {
    const { scheduler, sent } = await open([started]);
    expect(await scheduler.start(poller)).toBe('polling');
    expect(sent()).toEqual([
      {
        operation: 'StartExecution',
        stateMachineArn,
        // Another name for the same poller would be a second one beside it.
        name: 'ad1f7ab56c2951f7ea3b9dbc7be277d4a274134d',
        input:
          '{"runId":"order-17","ttl":1800000000,"intervalMillis":2500,"generation":3,"round":0,"notBefore":0,"waitSeconds":2,"done":false}',
      },
    ]);
  });

  it('asks for the same thing again, byte by byte, whatever else it is given', async () => {
    const { scheduler, sent } = await open([started, started]);
    await scheduler.start(poller);
    const { generation, intervalMillis, ttl, runId } = poller;
    const more = { generation, version: 7, intervalMillis, ttl, runId, on: 1 };
    await scheduler.start(more);
    const [first, second] = sent();
    expect(second).toEqual(first);
  });

  it('gives each poller a name of its own that Step Functions takes', async () => {
    const others: Partial<Poller>[] = [
      {},
      { runId: 'order-18' },
      // Another life of the same run id: a name is taken for 90 days.
      { ttl: 1_800_000_001 },
      { intervalMillis: 2_600 },
      { generation: 4 },
      { runId: `${'漢<>{}[]?*"#%\\^|~`$&,;:/ '.repeat(4)}`, intervalMillis: 500 },
    ];
    const { scheduler, sent } = await open(others.map(() => started));
    for (const other of others) await scheduler.start({ ...poller, ...other });
    const names = sent().map(({ name }) => name);
    expect(new Set(names).size).toBe(others.length);
    for (const name of names) expect(name).toMatch(/^[0-9A-Za-z_-]{22,80}$/);
    expect(JSON.parse(sent().at(-1)?.input)).toMatchObject({ waitSeconds: 0, runId: others.at(-1)?.runId });
  });

  it('knows from the refusal of the name that the execution has ended', async () => {
    const { scheduler } = await open([refused('ExecutionAlreadyExists')]);
    expect(await scheduler.start(poller)).toBe('closed');
  });

  it.each(['StateMachineDoesNotExist', 'StateMachineDeleting', 'InvalidExecutionInput', 'AccessDeniedException'])(
    'throws %s, which says nothing about the poller',
    async (type) => {
      const { scheduler } = await open([refused(type)]);
      await expect(scheduler.start(poller)).rejects.toThrow(expect.objectContaining({ name: type }));
    },
  );

  it('tries again when it was throttled', async () => {
    const { scheduler, sent } = await open([refused('ThrottlingException'), started]);
    expect(await scheduler.start(poller)).toBe('polling');
    expect(sent()).toHaveLength(2);
  });
});
