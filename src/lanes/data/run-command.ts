import { spawn } from 'node:child_process';
import { endGroup } from '../../kernel/index.ts';
import { laneLimits } from '../limits.ts';

export interface ShellCommand {
  readonly command: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The default and the maximum are laneLimits.dataStepMsMax. */
  readonly msMax?: number;
}

const toldCharsMax = 2_000;

/** How a command is started that an agent may have written. */
export interface ConfinedStart {
  readonly command: readonly string[];
  readonly inherited: Readonly<Record<string, string>>;
}

/** Runs a command to its end; what it printed. Its failure has its last lines. */
export async function runCommand(order: ShellCommand, confined?: ConfinedStart): Promise<string> {
  const msMax = Math.min(order.msMax ?? laneLimits.dataStepMsMax, laneLimits.dataStepMsMax);
  const [program = '', ...words] = confined?.command ?? ['/bin/sh', '-c', order.command];
  const child = spawn(program, words, {
    cwd: order.directory,
    env: { ...(confined?.inherited ?? process.env), ...order.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that all its processes can be killed.
    detached: true,
  });
  let printed = '';
  let errorOutput = '';
  child.stdout.on('data', (chunk) => {
    printed = (printed + chunk).slice(-laneLimits.dataOutputCharsMax);
  });
  child.stderr.on('data', (chunk) => {
    errorOutput = (errorOutput + chunk).slice(-toldCharsMax);
  });
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    endGroup(child.pid);
  }, msMax);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  child.once('error', (error) => resolve(error.message));
  child.once('close', (code, signal) =>
    resolve(code === 0 ? undefined : (signal ?? `code ${code}`)),
  );
  const failure = await promise.finally(() => clearTimeout(timer));
  if (failure === undefined) return printed;
  const how = isOver ? `it took longer than ${msMax / 1_000} s` : failure;
  const last = (errorOutput || printed).trim().slice(-toldCharsMax);
  throw new Error(`"${order.command}" failed (${how})${last && `: ${last}`}`);
}
