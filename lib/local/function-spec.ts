/** A Lambda function, as far as it takes to run it here. */
export interface FunctionSpec {
  /** Readable and unique in the stack, such as `run-agent`. */
  readonly name: string;
  /** Directory of the bundle; the working directory of the function. */
  readonly taskRoot: string;
  /** File of the bundle that has the handler. */
  readonly handlerFile: string;
  readonly exportName: string;
  readonly timeoutMillis: number;
  readonly memoryMegabytes: number;
  /** The complete environment: nothing of this process's own is passed on. */
  readonly environment: Readonly<Record<string, string>>;
  /** The most worker processes at a time. */
  readonly maxConcurrency: number;
}
