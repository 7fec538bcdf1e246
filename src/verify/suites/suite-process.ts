import { type ChildProcess, spawn } from 'node:child_process';
import { verifyLimits } from '../limits.ts';

interface ProgramSpec {
  readonly command: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends it when it aborts. */
  readonly signal?: AbortSignal;
}

export interface ProgramEnd {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
  /** Why Surety ended it; null if it ended by itself. */
  readonly ended: string | null;
}

const errorsCharsMax = 8_000;

/** Runs a program to its end, and kills what it leaves behind. */
export function runProgram(spec: ProgramSpec): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  const child = spawn('/bin/sh', ['-c', `exec ${spec.command}`], {
    cwd: spec.directory,
    env: spec.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: a browser that a suite leaves would keep its output open for ever.
    detached: true,
  });
  let output = '';
  let errors = '';
  let ended: string | null = null;
  const end = (reason: string): void => {
    ended ??= reason;
    endGroup(child);
  };
  const timer = setTimeout(
    () => end(`it took longer than ${verifyLimits.suiteMsMax} ms`),
    verifyLimits.suiteMsMax,
  );
  const abort = (): void => end('the deadline passed');
  if (spec.signal?.aborted) abort();
  spec.signal?.addEventListener('abort', abort, { once: true });
  const settle = (result: ProgramEnd): void => {
    clearTimeout(timer);
    spec.signal?.removeEventListener('abort', abort);
    resolve(result);
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > verifyLimits.suiteOutputBytesMax) {
      end(`it printed more than ${verifyLimits.suiteOutputBytesMax} bytes`);
    }
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-errorsCharsMax);
  });
  child.on('exit', () => endGroup(child));
  child.on('error', ({ message }) => settle({ output, errors, code: null, ended: message }));
  child.on('close', (code) => settle({ output, errors, code, ended }));
  return promise;
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone.
  }
}
