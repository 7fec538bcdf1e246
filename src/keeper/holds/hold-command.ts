import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { keeperLimits } from '../limits.ts';

/** What is to be done when a hold is over besides ending and removing; none is fine too. */
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
    // Its words are not told: they may hold an address with a password.
    else reject(new Error(`its command ended with ${signal ?? code}`));
  });
  return promise;
}
