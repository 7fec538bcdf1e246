import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, vi } from 'vitest';
import { createClock, isFault } from '../../src/kernel/index.ts';
import { createDapInstrumenter } from '../../src/probes/dap/index.ts';
import type { AttachedProcess, CaptureBatch, InstrumentPlan } from '../../src/probes/port.ts';

export const fixtures: string = resolve('tests/fixtures/languages');
export const instrumenter: ReturnType<typeof createDapInstrumenter> = createDapInstrumenter(
  createClock(),
);

/** A server of another language that is probed. */
export interface ProbedServer {
  readonly pid: number;
  readonly child: ChildProcess;
  get(path: string | number): Promise<string>;
}

const children: ChildProcess[] = [];
const attachments: AttachedProcess[] = [];

export async function startServer(command: string, args: readonly string[]): Promise<ProbedServer> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${port.toString().trim()}/`;
  const get = async (path: string | number): Promise<string> => (await fetch(url + path)).text();
  return { pid: child.pid as number, child, get };
}

export async function attach(pid: number): Promise<AttachedProcess> {
  const attached = await instrumenter.attach(pid);
  attachments.push(attached);
  return attached;
}

export async function endServers(): Promise<void> {
  for (const attached of attachments.splice(0)) await attached.detach();
  for (const child of children.splice(0)) {
    child.kill('SIGCONT');
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  vi.unstubAllEnvs();
}

/** What an instrument reported. */
export class ProbeReports {
  readonly batches: CaptureBatch[] = [];
  readonly ends: string[] = [];
  readonly captured = (batch: CaptureBatch): void => void this.batches.push(batch);
  readonly ended = (reason: string): void => void this.ends.push(reason);
  get captures(): CaptureBatch['captures'] {
    return this.batches.flatMap(({ captures }) => captures);
  }
  get messages(): (string | undefined)[] {
    return this.captures.map(({ message }) => message);
  }
  get summary(): CaptureBatch['summary'] {
    return this.batches.at(-1)?.summary;
  }
  get hits(): number {
    return this.summary?.hits ?? 0;
  }
}

export function planOf(file: string, line: number, rest: object = {}): InstrumentPlan {
  const defaults = { kind: 'log', template: [], expressions: [], sampleRate: 1, hitsMax: 100 };
  return { ...defaults, file, line, ...rest } as InstrumentPlan;
}

export const expressions = (...texts: string[]): { text: string; isSecret: boolean }[] =>
  texts.map((text) => ({ text, isSecret: false }));

export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no fault',
    (error) => (isFault(error) ? error.code : error),
  );
}

export function lineOf(file: string, text: string): number {
  return (
    readFileSync(file, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1
  );
}

/** Signals take effect a little later: a probe that came in between would be placed. */
export async function setStopped(server: ProbedServer, isStopped: boolean): Promise<void> {
  server.child.kill(isStopped ? 'SIGSTOP' : 'SIGCONT');
  const isNow = (): boolean =>
    /^State:\s*T/m.test(readFileSync(`/proc/${server.pid}/status`, 'utf8'));
  await expect.poll(isNow).toBe(isStopped);
}
