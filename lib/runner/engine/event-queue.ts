import type { AgentPlan } from '../../agent/plan.ts';
import { type Event, EventType } from '../../events/event.ts';
import type { TraceStatus } from '../../ports/trace-record.ts';
import type { RunTracer } from '../../trace/run-tracer.ts';
import { actionIdOf, actionPath, eventIdOf } from '../run-ids.ts';
import { attributesOf, type EmittedEvent } from './action-body.ts';
import type { QueuedAction } from './action-run.ts';
import type { RunOutput } from './engine-outcome.ts';

/** Who sent events: an action, or the run itself, which has neither name nor event. */
export interface Sender {
  readonly id: string;
  /** Names of the actions that led here, joined by `/`. */
  readonly path: string;
  readonly name: string | undefined;
  /** The event that started the sender. */
  readonly eventId: string | undefined;
}

type Lineage = Pick<Event, 'upstreamEventId' | 'upstreamActionName'>;

/** Actions that wait to be started, first in, first out, fed in emission order; and the outputs, which start none. */
export class EventQueue {
  readonly outputs: RunOutput[] = [];
  private readonly queue: QueuedAction[] = [];
  private readonly plan: AgentPlan;
  private readonly tracer: RunTracer;

  constructor(plan: AgentPlan, tracer: RunTracer) {
    this.plan = plan;
    this.tracer = tracer;
  }

  get hasQueued(): boolean {
    return this.queue.length > 0;
  }

  takeQueued(): QueuedAction | undefined {
    return this.queue.shift();
  }

  emit(sender: Sender, events: readonly EmittedEvent[], status: TraceStatus): void {
    const lineage: Lineage =
      sender.name === undefined ? {} : { upstreamEventId: sender.eventId ?? '', upstreamActionName: sender.name };
    events.forEach((emitted, emission) => {
      const id = eventIdOf(sender.id, emission);
      this.trace(id, emitted, status, sender.id, lineage);
      if (emitted.type === EventType.OutputEvent) this.outputs.push({ eventId: id, text: emitted.text });
      else this.enqueue(id, emitted, emission, sender, lineage);
    });
  }

  private enqueue(id: string, emitted: EmittedEvent, emission: number, sender: Sender, lineage: Lineage): void {
    for (const action of this.plan.actionsByType.get(emitted.type) ?? []) {
      this.queue.push({
        id: actionIdOf(sender.id, emission, action.name),
        action,
        parentActionId: sender.id,
        path: actionPath(sender.path, action.name),
        event: toEvent(id, emitted, lineage),
      });
    }
  }

  private trace(id: string, emitted: EmittedEvent, status: TraceStatus, producer: string, lineage: Lineage): void {
    this.tracer.write({
      entityType: 'event',
      entityName: emitted.type,
      executionId: id,
      parentExecutionId: producer,
      status,
      metadata: {
        event_id: id,
        upstream_event_id: lineage.upstreamEventId,
        upstream_action_name: lineage.upstreamActionName,
      },
      attributes: attributesOf(emitted),
    });
  }
}

/** An event as its action gets it: a copy of its own, so that no action sees what another did to it. */
function toEvent(id: string, emitted: EmittedEvent, lineage: Lineage): Event {
  const attributes = attributesOf(emitted);
  const event = { id, type: emitted.type, attributes, ...lineage };
  return emitted.type === EventType.InputEvent ? ({ ...event, input: attributes.input } as Event) : event;
}
