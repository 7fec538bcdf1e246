import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from '../../tests/harness/until.ts';
import { createClock, createIdentifiers, systemRandom } from '../kernel/index.ts';
import type { Capture } from './api-schema.ts';
import { createNodeInstrumenter } from './node/instrumenter.ts';
import { ProcessPool } from './pool.ts';
import { type ActiveProbe, type ProbeDeps, placeProbe } from './probe.ts';
import type { ProbeRequest } from './request.ts';
import { readNetwork } from './target/sockets.ts';

const clock = createClock();
export const deps: ProbeDeps = {
  clock,
  makeIdentifier: createIdentifiers(clock, systemRandom),
  processes: new ProcessPool([createNodeInstrumenter(clock)]),
};

export const appFile: string = fileURLToPath(new URL('trading-app.fixture.ts', import.meta.url));

/** The line of the app that carries this marker. */
export function lineOf(marker: string): number {
  const lines = readFileSync(appFile, 'utf8').split('\n');
  const index = lines.findIndex((line) => line.endsWith(`// BREAKPOINT: ${marker}`));
  if (index < 0) throw new Error(`no line has the marker ${marker}`);
  return index + 1;
}

export interface Trade {
  readonly amount: number;
  /** Sent in such a way that the app gets a text: the bug. */
  readonly asText?: boolean;
  readonly id?: string;
}

/** For tests only: a trading app of its own, gone at the end, with its inspector closed by then. */
export class App implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly #port: number;
  readonly #options: readonly string[];
  readonly #probes: ActiveProbe[] = [];

  private constructor(process: ChildProcess, port: number, options: readonly string[]) {
    this.process = process;
    this.pid = process.pid as number;
    this.#port = port;
    this.#options = options;
  }

  static start(...options: readonly string[]): Promise<App> {
    return App.startFile(appFile, options);
  }

  /**
   * Any program that prints its port. Its inspector takes a free one: tests run side by side, and
   * on a busy machine one of them would wait too long for the usual port.
   */
  static async startFile(
    file: string,
    options: readonly string[] = [],
    words: readonly string[] = [],
  ): Promise<App> {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const isChosen = options.some((option) => option.startsWith('--inspect'));
    const all = isChosen ? options : ['--inspect-port=0', ...options];
    const child = spawn(process.execPath, [...all, file, ...words], { stdio: [...stdio] });
    const [port] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    return new App(child, Number(port), options);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  request(): ProbeRequest {
    return { pids: [this.pid], file: appFile, line: lineOf('before'), ttlMs: 60_000 };
  }

  /** A snapshot of the amount; a probe that a failing test did not remove is removed for it. */
  async place(request: Partial<ProbeRequest> = {}): Promise<ActiveProbe> {
    const isSnapshot = request.kind === undefined && request.template === undefined;
    const expressions = isSnapshot ? { expressions: ['amount'] } : {};
    const probe = await placeProbe({ ...this.request(), ...expressions, ...request }, deps);
    this.#probes.push(probe);
    return probe;
  }

  /** A probe in a function. */
  placeIn(name: string, request: Partial<ProbeRequest> = {}): Promise<ActiveProbe> {
    const { line: _, ...rest } = { ...this.request(), ...request };
    return placeProbe({ ...rest, function: name }, deps);
  }

  async get<Answer>(path: string, id = '', more: Record<string, string> = {}): Promise<Answer> {
    const headers = { 'x-request-id': id, connection: 'close', ...more };
    const response = await fetch(`${this.url}${path}`, { headers });
    return (await response.json()) as Answer;
  }

  async trade({ amount, asText = false, id = '' }: Trade): Promise<string> {
    const path = `/trade?amount=${amount}${asText ? '&text' : ''}`;
    return (await this.get<{ decision: string }>(path, id)).decision;
  }

  state(): Promise<{ changes: number; requests: number }> {
    return this.get('/state');
  }

  /** It listens for nothing else but its own requests. */
  async hasOpenInspector(): Promise<boolean> {
    const { own } = await readNetwork(this.pid);
    return own.some(({ state, port }) => state === 'listening' && port !== this.#port);
  }

  /** Trades until the probe has seen so much. */
  async tradeUntil(probe: ActiveProbe, count: number, trade: Trade): Promise<Capture[]> {
    const captures: Capture[] = [];
    const reading = readInto(captures, probe, count);
    await until(`there are ${count} captures`, async () => {
      await this.trade(trade);
      return captures.length >= count;
    });
    await reading;
    return captures;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#probes.map((probe) => probe.remove()));
    const isWanted = this.#options.some((option) => option.startsWith('--inspect='));
    const isOpen = await this.hasOpenInspector();
    this.process.kill('SIGKILL');
    await until('the app is gone', () => this.process.exitCode ?? this.process.signalCode);
    if (isOpen && !isWanted) throw new Error('the inspector was left open');
  }
}

export async function readInto(
  captures: Capture[],
  probe: ActiveProbe,
  count = Number.POSITIVE_INFINITY,
): Promise<void> {
  for await (const capture of probe.captures) {
    captures.push(capture);
    if (captures.length >= count) return;
  }
}

/** Another process of ours that has attached to `pid`; it has said what it does by now. */
export async function startProber(
  pid: number,
  file: string = appFile,
  line: number = lineOf('before'),
): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('prober.fixture.ts', import.meta.url));
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const arguments_ = [program, String(pid), file, String(line)];
  const child = spawn(process.execPath, arguments_, { stdio: [...stdio] });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

/** As `kill -9` does it, and seen to be gone. */
export async function killHard(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await until('it is gone', () => child.signalCode);
}
