import type { Deployment } from './deployment.ts';
import type { ParkedCall } from './gated-process.ts';
import type { Task } from './process-tree.ts';
import type { Step } from './steps.ts';

/** A step in words, for the reader of a counterexample. */
export function describeStep(deployment: Deployment, step: Step): string {
  switch (step.kind) {
    case 'deliver':
      return `${step.extra ? 'extra ' : ''}${describeTask(step.task)} begins${step.crash ? ' and dies' : ''}`;
    case 'grant': {
      const { task, parked } = deployment.processes.node(step.process);
      const call = parked.find(({ number }) => number === step.call);
      return `${describeTask(task)} [${step.process}]: ${call ? describeCall(call) : step.call}${step.crash ? ', and dies' : ''}`;
    }
    case 'fire':
      return `${describeTask(deployment.processes.node(step.process).task)} [${step.process}]: timer ${step.timer}`;
    case 'pass-time':
      return 'time passes the end of every lease';
    case 'sweep':
      return 'what wakes are left are lost; the sweeper comes';
  }
}

const describeTask = (task: Task): string =>
  task.kind === 'drive' ? `drive ${task.runId}` : `accept ${task.requests.join(', ')}`;

const describeCall = ({ name, args }: ParkedCall): string => `${name} ${JSON.stringify(args).slice(0, 300)}`;
