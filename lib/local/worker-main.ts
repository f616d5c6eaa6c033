// The whole of a worker process: it loads one handler and calls it for one event after the other, as the Lambda runtime does.
// It imports nothing but types and Node's own modules, because each worker pays for it once more.
import { pathToFileURL } from 'node:url';
import type { FunctionError, InvokeMessage, WorkerAnswer } from './worker-messages.ts';

type Handler = (event: unknown, context: object) => unknown;

const [handlerFile = '', exportName = 'handler'] = process.argv.slice(2);

// Without its stack a worker has nothing to live for.
process.on('disconnect', () => process.exit(0));
// Ctrl-C in a terminal reaches every process of its group; the stack decides when workers end.
process.on('SIGINT', () => {});

const handler = await loadHandler();
if (handler !== undefined) {
  process.on('message', (message: InvokeMessage) => void invoke(handler, message));
  answer({ kind: 'ready' });
}

async function loadHandler(): Promise<Handler | undefined> {
  try {
    const exported: unknown = (await import(pathToFileURL(handlerFile).href))[exportName];
    if (typeof exported === 'function') return exported as Handler;
    throw new TypeError(`${handlerFile} does not export a function "${exportName}".`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    answer({ kind: 'init-failed', error: describe(error) });
    return undefined;
  }
}

async function invoke(handle: Handler, { requestId, event, deadlineMillis }: InvokeMessage): Promise<void> {
  try {
    const result = (await handle(event, contextOf(requestId, deadlineMillis))) ?? null;
    answer({ kind: 'succeeded', requestId, result: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    answer({ kind: 'failed', requestId, error: describe(error) });
  }
}

function contextOf(requestId: string, deadlineMillis: number): object {
  const variables = process.env;
  return {
    awsRequestId: requestId,
    functionName: variables.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: variables.AWS_LAMBDA_FUNCTION_VERSION,
    invokedFunctionArn: `arn:aws:lambda:${variables.AWS_REGION}:000000000000:function:${variables.AWS_LAMBDA_FUNCTION_NAME}`,
    memoryLimitInMB: variables.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: variables.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: variables.AWS_LAMBDA_LOG_STREAM_NAME,
    getRemainingTimeInMillis: () => Math.max(0, deadlineMillis - Date.now()),
  };
}

function describe(error: unknown): FunctionError {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') };
}

function answer(message: WorkerAnswer): void {
  process.send?.(message);
}
