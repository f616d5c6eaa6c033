import { TerminalAgentError } from '../../errors/public-errors.ts';

/** A call of a sub-agent that nobody could follow to its end: another attempt could not either, before `redrive` clears the mark. */
export const subagentFault = (name: string, fault: string): TerminalAgentError =>
  new TerminalAgentError(
    'SUBAGENT_FAULT',
    `Sub-agent "${name}" cannot be followed: ${fault}. Mend the service or its setup class, then redrive the run.`,
  );
