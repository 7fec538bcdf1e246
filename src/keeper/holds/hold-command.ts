import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { keeperLimits } from '../limits.ts';

/** Runs the command of a hold that has ended; an empty command does nothing. */
export function runCommand(
  command: readonly string[],
  msMax: number = keeperLimits.holdCommandMsMax,
): Promise<void> {
  const [program, ...words] = command;
  if (program === undefined) return Promise.resolve();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(program, words, {
    cwd: tmpdir(),
    stdio: 'ignore',
    timeout: msMax,
    killSignal: 'SIGKILL',
  });
  child.once('error', reject);
  child.once('exit', (code, signal) => {
    if (code === 0) resolve();
    // Its output is not reported: it may contain an address with a password.
    else reject(new Error(`its command ended with ${signal ?? code}`));
  });
  return promise;
}
