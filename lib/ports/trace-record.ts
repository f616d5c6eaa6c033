export type TraceEntityType = 'run' | 'event' | 'action' | 'durable_call' | 'subagent';
/** `reused`: recorded earlier and replayed. `suspended`: a run that waits without compute. `cancelled`: a call that was given up. */
export type TraceStatus = 'created' | 'started' | 'success' | 'failed' | 'reused' | 'suspended' | 'cancelled';

/** One line of what happened, in snake_case as it stands in the log. (Flink Agents: Trace Log record.) */
export interface TraceRecord {
  readonly record: 'trace';
  /** ISO 8601. */
  readonly timestamp: string;
  readonly run_id: string;
  readonly agent_name: string;
  readonly business_key?: string;
  readonly entity_type: TraceEntityType;
  /** Event type, action name, id of the durable call, or agent name. */
  readonly entity_name: string;
  readonly execution_id: string;
  readonly parent_execution_id?: string;
  readonly status: TraceStatus;
  readonly problem_category?:
    | 'action_execution_failed'
    | 'durable_call_failed'
    | 'subagent_failed'
    | 'subagent_cancel_failed'
    | 'poller_not_started'
    | 'run_failed'
    | 'run_blocked';
  /** Lineage and place: `event_id`, `upstream_event_id`, `upstream_action_name`, `trigger_event_id`, `epoch`. */
  readonly entity_metadata: Readonly<Record<string, string | number>>;
  readonly duration_ms?: number;
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
  /** The event's attributes, cut where they are long. */
  readonly attributes?: unknown;
}
