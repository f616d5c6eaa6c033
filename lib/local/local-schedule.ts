import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { functionByArn, type LocalResourceType } from './local-resource.ts';
import { parseRateMillis } from './parse-schedule.ts';
import { LOCAL_ACCOUNT, localArn, physicalName } from './physical-names.ts';

const scheduleProperties = z.object({
  ScheduleExpression: z.string(),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Target: z.object({ Arn: z.string(), Input: z.string().optional() }),
});

/** A function that is called at a fixed rate. A call that fails is not repeated: the next one does the same work. */
export const localSchedule: LocalResourceType = {
  phase: 'trigger',
  identify({ logicalId }, { stackName, region }) {
    const name = physicalName(stackName, logicalId);
    return { ref: name, attributes: { Arn: localArn('scheduler', region, `schedule/default/${name}`) } };
  },
  async create({ properties, identity }, context) {
    const { ScheduleExpression, State, Target } = scheduleProperties.parse(properties);
    if (State === 'DISABLED') return;
    const pool = functionByArn(context, Target.Arn);
    const intervalMillis = context.overrides.sweepIntervalMillis ?? parseRateMillis(ScheduleExpression);
    const event = () =>
      Target.Input === undefined
        ? defaultEvent(identity.attributes.Arn ?? '', context.region)
        : JSON.parse(Target.Input);
    const timer = setInterval(() => void pool.invoke(event()), intervalMillis);
    context.triggers.push(async () => clearInterval(timer));
  },
};

/** What EventBridge Scheduler sends when a schedule has no input of its own. */
const defaultEvent = (scheduleArn: string, region: string): object => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.scheduler',
  account: LOCAL_ACCOUNT,
  time: new Date().toISOString(),
  region,
  resources: [scheduleArn],
  detail: '{}',
});
