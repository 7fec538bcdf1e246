import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { fault } from '../fault.ts';
import type { Log } from '../log.ts';

/** Taking a lock would create the directory: a late process must not bring back a deleted one. */
export function existingDirectory(stateDirectory: string, program: string): string {
  if (existsSync(stateDirectory)) return realpathSync(stateDirectory);
  throw fault('USAGE', { reason: `There is no directory ${stateDirectory}.`, help: program });
}

/** One request that fails in an unforeseen way must not end all others with it. */
export function surviveErrors(log: Log): void {
  // A log that can't be written is no reason to write into it: that would never end.
  process.stdout.on('error', () => {});
  process.on('uncaughtException', (error, origin) => {
    log('error', 'mishap', { origin, reason: String(error), stack: error?.stack ?? '' });
  });
}

/** The first signal that asks this process to end. */
export async function endSignal(): Promise<string> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  return Promise.race(signals.map((signal) => once(process, signal).then(() => signal)));
}
