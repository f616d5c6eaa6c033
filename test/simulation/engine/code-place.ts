import { basename } from 'node:path';

/** Deep enough for every call chain from a function's handler to a port. */
const FRAMES = 60;

/** Where in `lib` the caller stands, innermost first and through every `await`: `key-order.ts:78 end-run.ts:97 …`. */
export function codePlace(): string {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = FRAMES;
  Error.prepareStackTrace = (_error, sites) => sites.map(placeOf).join('');
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  Error.prepareStackTrace = prepareStackTrace;
  if (stack === '') throw new Error('No code of lib is on the stack.');
  return stack;
}

function placeOf(site: NodeJS.CallSite): string {
  const file = site.getFileName() ?? '';
  return file.includes('/lib/') && !file.includes('/node_modules/') ? `${basename(file)}:${site.getLineNumber()} ` : '';
}
