import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { inject, vi } from 'vitest';
import * as z from 'zod';
import type { TemplateOverrides } from '../../../lib/local/local-resource.ts';
import { type LocalStack, startLocalStack } from '../../../lib/local/local-stack.ts';
import { startTicketService, type TicketService, type TicketServiceOptions } from '../../../lib/local/ticket-service.ts';
import { startProxy, type Proxy, type ProxyOptions } from './proxy.ts';
import { QueueReceiver } from './queue-receiver.ts';

export interface TestAppOptions {
  /** Deployment configuration, beside a short lease. @default none */
  readonly config?: Readonly<Record<string, number>>;
  /** @default a sweep each second, everything else as it is deployed */
  readonly overrides?: TemplateOverrides;
  readonly tickets?: Pick<TicketServiceOptions, 'file' | 'beforeAnswer'>;
  /** Stands before the ticket service. @default nothing does */
  readonly beforeTickets?: ProxyOptions;
  /** Stands before the store and the queues, for the functions only. @default nothing does */
  readonly beforeAws?: ProxyOptions;
}

export interface SendOptions {
  /** @default the body's key, else a new group */
  readonly group?: string;
}

/** Everything that a receiver got about one request. */
export interface Answer {
  readonly status: string;
  readonly error?: unknown;
  readonly outputs: readonly unknown[];
  /** All messages as they came, the status last. */
  readonly messages: readonly unknown[];
  /** When the status came. */
  readonly at: number;
}

/** The app on this machine, and what its users have: a queue to send to, and queues to receive from. */
export interface TestApp {
  readonly stack: LocalStack;
  readonly tickets: TicketService;
  readonly sqs: SQSClient;
  readonly outputs: QueueReceiver;
  readonly refusals: QueueReceiver;
  /** Sends a message to the request queue; texts go as they are, everything else as JSON. Gives its message id. */
  send(body: unknown, options?: SendOptions): Promise<string>;
  /** Waits for the end of a request's run. */
  answer(requestId: string, timeoutMillis?: number): Promise<Answer>;
  /** Kills every process of a function; gives how many there were. */
  killAll(functionName: string): number;
  close(): Promise<void>;
}

export const LEASE_MILLIS = 2_000;
export const SWEEP_MILLIS = 1_000;
const ANSWER_MILLIS = 30_000;

const aboutRequest = z.looseObject({ requestId: z.string() });
const endMessage = z.object({ status: z.string(), error: z.unknown().optional() });

/** Starts the app with a short lease and a quick sweep, so that a killed run is driven again soon. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const tickets = await startTicketService(options.tickets);
  const ticketProxy = options.beforeTickets && (await startProxy(options.beforeTickets));
  ticketProxy?.forwardTo(tickets.url);
  const proxies = options.beforeAws && [await startProxy(options.beforeAws), await startProxy(options.beforeAws)];
  const stack = await startLocalStack({
    assemblyDirectory: inject('assemblyDirectory'),
    environment: {
      TICKET_SERVICE_URL: ticketProxy?.url ?? tickets.url,
      DEPLOYMENT_CONFIG: JSON.stringify({ 'run.lease-millis': LEASE_MILLIS, ...options.config }),
      ...(proxies && { AWS_ENDPOINT_URL_DYNAMODB: proxies[0].url, AWS_ENDPOINT_URL_SQS: proxies[1].url }),
    },
    overrides: { sweepIntervalMillis: SWEEP_MILLIS, ...options.overrides },
  });
