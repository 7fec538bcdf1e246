import { execFile } from 'node:child_process';
import { join } from 'node:path';

export interface ScriptRun {
  exitCode: number;
  output: string;
  /** The lines of the output that are JSON objects. */
  lines: Record<string, unknown>[];
}

/** By which a suite finds `surety/suite`, as Surety would have it when it runs one. */
const resolver = join(import.meta.dirname, '../../../src/suite/resolve.cjs');

/** Runs a program of the example as a user would, and keeps what it printed. */
export function runScript(
  file: string,
  args: string[],
  environment: Record<string, string> = {},
): Promise<ScriptRun> {
  const env = { ...process.env, NODE_OPTIONS: `--require "${resolver}"`, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { env }, (error, stdout, stderr) => {
      const exitCode = error ? Number(error.code ?? -1) : 0;
      const lines = stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      resolve({ exitCode, output: stdout + stderr, lines });
    });
  });
}

export function runUnitTests(folder: string): Promise<ScriptRun> {
  const vitest = join(import.meta.dirname, '../../../node_modules/vitest/vitest.mjs');
  // A test inside a test must not take the outer one's settings for its own.
  const clean = { VITEST: '', VITEST_WORKER_ID: '', VITEST_POOL_ID: '', NODE_OPTIONS: '' };
  return runScript(vitest, ['run', '--root', folder], clean);
}
