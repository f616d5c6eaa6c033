import type { Deployment, DeploymentChoice } from './deployment.ts';
import type { ExitCode } from './exit-code.ts';

/** Where a command writes: results to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether standard output shows colours. */
  readonly colour: boolean;
  /** Characters in a line of standard output; `undefined`: it is no terminal, and lines are never cut. */
  readonly columns: number | undefined;
  out(text: string): void;
  err(text: string): void;
}

/** What a command may use of the world. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Opened once; closed when the command has ended. */
  openDeployment(choice: DeploymentChoice): Promise<Deployment>;
  /** The text of a file; `undefined`: of standard input. */
  readText(file: string | undefined): Promise<string>;
  /** Milliseconds since 1970. */
  now(): number;
  pause(millis: number): Promise<void>;
  /** An id that nobody has yet. */
  createId(): string;
}

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What `--help` shows, without the options that every command has. */
  readonly help: string;
  /** @throws UsageError for arguments that it does not have */
  run(args: readonly string[], context: CommandContext): Promise<ExitCode>;
}
