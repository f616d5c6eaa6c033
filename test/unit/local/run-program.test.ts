import { expect, it } from 'vitest';
import { runProgram } from '../../../lib/local/run-program.ts';

const options = { cwd: import.meta.dirname, environment: {}, timeoutMillis: 30_000 };
const runNode = (script: string, more: object = {}) =>
  runProgram(process.execPath, ['-e', script], { ...options, ...more });

it('says nothing about a program that ends well', async () => {
  await expect(runNode('console.log(1)')).resolves.toBeUndefined();
});

it('shows how a program failed and the last lines that it wrote', async () => {
  const failing = runNode(
    'for (let i = 1; i <= 50; i += 1) console.log("line " + i); process.exitCode = 4; console.error("why")',
    { name: 'a program' },
  );
  await expect(failing).rejects.toMatchObject({
    code: 'LOCAL_STACK_FAILED',
    message: expect.stringMatching(/^"a program" failed \(exit code 4\)\. Mend what it says\.\n {2}line \d+\n/),
  });
  const { message } = (await failing.catch((error: Error) => error)) as Error;
  expect(message.split('\n')).toHaveLength(1 + 40);
  expect(message).toContain('\n  line 50');
  expect(message).toContain('\n  why');
});

it('names the signal that ended a program', async () => {
  await expect(runNode('process.kill(process.pid, "SIGTERM")')).rejects.toThrow(/^"node -e .* failed \(SIGTERM\)/);
});

it('names a program that is not there', async () => {
  const missing = runProgram('/not/there/python3', ['-m', 'venv', 'here'], options);
  await expect(missing).rejects.toThrow(/^"python3 -m venv" failed \(spawn \/not\/there\/python3 ENOENT\)/);
});
