import { spawnSync } from 'node:child_process';

export interface RunningProcess {
  readonly pid: number;
  readonly command: string;
}

/** The processes that a process started, and theirs. */
export function descendantsOf(pid: number): readonly RunningProcess[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const all = stdout.split('\n').flatMap((line) => {
    const [, own, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return own === undefined ? [] : [{ pid: Number(own), parent: Number(parent), command }];
  });
  const below = (ancestor: number): readonly RunningProcess[] =>
    all.filter(({ parent }) => parent === ancestor).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}

/** Whether a process of this number is there. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
