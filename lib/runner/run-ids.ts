import { digestParts } from '../values/digest.ts';

/** Id of an action: its parent action (the run id at the root), the event's place among the parent's events, its name. */
export const actionIdOf = (parentActionId: string, emission: number, actionName: string): string =>
  digestParts('action', parentActionId, emission, actionName);

/** Id of an event: the action that sent it and its place among that action's events. */
export const eventIdOf = (parentActionId: string, emission: number): string =>
  digestParts('event', parentActionId, emission);

/** Stands for the parent of the input event's actions. */
export const rootActionId = (runId: string): string => digestParts('run', runId);

/** Longest readable path in characters. Records must not grow along a chain of events. */
const MAX_PATH_LENGTH = 200;

/** Names of the actions that led to one, joined by `/`; of a long chain the last ones. */
export function actionPath(parentPath: string, actionName: string): string {
  const path = parentPath === '' ? actionName : `${parentPath}/${actionName}`;
  return path.length <= MAX_PATH_LENGTH ? path : `…${path.slice(path.indexOf('/', path.length - MAX_PATH_LENGTH))}`;
}
