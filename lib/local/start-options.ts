import { parseArgs } from 'node:util';
import { localStackError } from './local-stack-error.ts';

export interface StartOptions {
  /** End after the first answer. */
  readonly once: boolean;
  /** The agent that gets the first request. `undefined`: the main demo. */
  readonly agent: string | undefined;
  /** Where the diff of the first request is. `undefined`: the agent's sample. */
  readonly diffFile: string | undefined;
  /** Relative to where the command was given. `undefined`: `.local` of the project. */
  readonly stateDirectory: string | undefined;
  readonly help: boolean;
}

export const START_USAGE = `Usage: npm start [-- options]

  --once              end after the first answer, with exit status 0 when it was completed
  --agent NAME        start this agent with its sample (default: code_review)
  --diff FILE         send this diff instead of the sample
  --state DIRECTORY   where the stack announces itself and keeps its logs (default: .local of this project)
  --help              show this`;

/** Reads the command line of `npm start`. An unknown option is an error that shows the known ones. */
export function parseStartOptions(parameters: readonly string[]): StartOptions {
  try {
    const { values } = parseArgs({
      args: [...parameters],
      strict: true,
      allowPositionals: false,
      options: {
        once: { type: 'boolean', default: false },
        agent: { type: 'string' },
        diff: { type: 'string' },
        state: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    return {
      once: values.once,
      agent: values.agent,
      diffFile: values.diff,
      stateDirectory: values.state,
      help: values.help,
    };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw localStackError(`${firstSentence(error.message)}\n\n${START_USAGE}`, { cause: error });
  }
}

// Node adds advice about positional arguments that does not apply.
const firstSentence = (message: string): string => `${message.split(/\.\s/)[0]?.replace(/\.$/, '')}.`;
