import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { createClock } from '../clock.ts';
import { type Fault, fault, toFault } from '../fault.ts';
import { createLog, type Log } from '../log.ts';

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

/**
 * The command that runs a program of our own. A signal must not open a debugger in it: whoever
 * connects to one has all that the process has, and it asks nobody for a token.
 */
export function nodeCommand(main: string, ...given: readonly string[]): readonly string[] {
  const options = ['--disable-warning=ExperimentalWarning', '--disable-sigusr1'];
  return [process.execPath, ...options, main, ...given];
}

interface MainOptions {
  /** Why it could not start. */
  readonly faultOf?: (error: unknown) => Fault;
  readonly output?: NodeJS.WritableStream;
  readonly exitCodeOf?: (error: unknown) => number;
}

/** The whole of `node src/<name>/main.ts <stateDirectory>`. */
export async function runMain(
  name: string,
  run: (stateDirectory: string) => Promise<void>,
  { faultOf = toFault, output = process.stdout, exitCodeOf = () => 1 }: MainOptions = {},
): Promise<never> {
  try {
    const stateDirectory = process.argv[2];
    if (!stateDirectory) {
      const reason = 'The state directory is missing.';
      throw fault('USAGE', { reason, help: `src/${name}/main.ts` });
    }
    await run(stateDirectory);
    process.exit(0);
  } catch (error) {
    const log = createLog(name, createClock(), (line) => output.write(line));
    log('error', `${name}-not-started`, faultOf(error).report());
    process.exit(exitCodeOf(error));
  }
}
