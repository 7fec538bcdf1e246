import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { GateJob } from './gate-process.ts';
import type { Told } from './gate-work.ts';

/** A line that a gate said. */
export interface Line {
  readonly told?: Told;
  readonly killed?: string;
  readonly trouble?: string;
}

export interface Ended {
  readonly said: readonly Line[];
  readonly signal: string | null;
  readonly code: number | null;
  readonly errors: string;
}

export interface RunningGate {
  readonly pid: number;
  /** What it said so far. */
  readonly said: readonly Line[];
  readonly ended: Promise<Ended>;
}

const program = fileURLToPath(new URL('./gate-process.ts', import.meta.url));
// Hundreds of them are started: compiling anew would be most of their work.
const cache = join(tmpdir(), 'surety-compile-cache');

export function startGate(job: GateJob): RunningGate {
  const words = ['--disable-warning=ExperimentalWarning', program, JSON.stringify(job)];
  const env = { ...process.env, NODE_COMPILE_CACHE: cache, NODE_OPTIONS: '' };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: Line[] = [];
  let errors = '';
  createInterface({ input: child.stdout }).on('line', (line) => said.push(JSON.parse(line)));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ said, signal, code, errors }));
  });
  return { pid: child.pid as number, said, ended };
}
