/** The command line asks for nothing that there is. The message states the fact, then the remedy. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}
