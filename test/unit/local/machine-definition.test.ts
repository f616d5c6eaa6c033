import { describe, expect, it } from 'vitest';
import { parseMachineDefinition } from '../../../lib/local/machine-definition.ts';

const task = { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke', End: true };
const parse = (state: object, machine: object = {}) =>
  parseMachineDefinition(JSON.stringify({ StartAt: 'Do', States: { Do: state }, ...machine }), 'arn:poller');

describe('the definition of a state machine', () => {
  it('names the states that call functions', () => {
    const { taskNames, definition } = parse({ ...task, Comment: 'calls' }, { QueryLanguage: 'JSONPath' });
    expect(taskNames).toEqual(['Do']);
    expect(definition).toMatchObject({ StartAt: 'Do', States: { Do: { Comment: 'calls' } } });
  });

  it('lets a task take as long as its function, unless it says how long', () => {
    expect(parse(task).definition.States.Do).toMatchObject({ TimeoutSeconds: 2_147_483 });
    expect(parse({ ...task, TimeoutSeconds: 5 }).definition.States.Do).toMatchObject({ TimeoutSeconds: 5 });
    expect(parse({ Type: 'Wait', Seconds: 5, End: true }).definition.States.Do).not.toHaveProperty('TimeoutSeconds');
  });

  it.each<[string, object, object, RegExp]>([
    ['JSONata', task, { QueryLanguage: 'JSONata' }, /arn:poller uses JSONata\. Use JSONPath/],
    ['JSONata in one state', { ...task, QueryLanguage: 'JSONata' }, {}, /uses JSONata/],
    ['variables', { ...task, Assign: { a: 1 } }, {}, /uses Assign, which does nothing here\. Do without/],
    ['heartbeats', { ...task, HeartbeatSeconds: 5 }, {}, /uses HeartbeatSeconds/],
    ['branches', { Type: 'Parallel', Branches: [], End: true }, {}, /state "Do" of type Parallel.*plain sequence/],
    ['tokens', { ...task, Resource: `${task.Resource}.waitForTaskToken` }, {}, /something else than a function.*"Do"/],
    ['other services', { ...task, Resource: 'arn:aws:states:::sqs:sendMessage' }, {}, /Use lambda:invoke/],
    ['a function as the resource', { ...task, Resource: 'arn:aws:lambda:::function:f' }, {}, /Use lambda:invoke/],
  ])('refuses %s, which would be ignored here or call a real account', (_name, state, machine, message) => {
    expect(() => parse(state, machine)).toThrow(message);
  });
});
