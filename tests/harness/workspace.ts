import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connectDaemon } from '../../src/cli/daemon-client.ts';
import type { Client, OperationResponse } from '../../src/http/index.ts';
import { keeperIdentifier } from '../../src/keeper/children/mark.ts';
import type { FaultReport } from '../../src/kernel/index.ts';
import type { StoreReader } from '../../src/ledger/index.ts';
import { openLedgerReader } from '../../src/runtime/compose/ledger-reader.ts';
import { findPlace, type WorkspacePlace } from '../../src/runtime/place.ts';
import { patient } from './patient.ts';
import { suretyCommand } from './programs.ts';
import { until } from './until.ts';
import { whenTestEnds } from './when-test-ends.ts';
import { processesOf, programName } from './workspace-processes.ts';

export interface Answer {
  readonly code: number;
  /** The last line of JSON. */
  readonly value: { readonly fault?: FaultReport } & Record<string, unknown>;
}

export type Up = OperationResponse<'GET /v1/status'> & { readonly port: number };

export interface WorkspaceOptions {
  /** The text of surety.yaml; without it there is none. */
  readonly config?: string;
  /** Where the workspace's directory is made, e.g. on a small disk. */
  readonly parent?: string;
}

/**
 * A directory with the real command, daemon and keeper. Leaving it takes everything down, and
 * fails if a process is left behind then.
 */
export class Workspace implements AsyncDisposable {
  readonly root: string;
  readonly place: WorkspacePlace;
  readonly #keeperId: string;
  #left: Promise<void> | undefined;

  constructor({ config, parent = tmpdir() }: WorkspaceOptions = {}) {
    this.root = realpathSync(mkdtempSync(join(parent, 'surety-workspace-')));
    this.place = findPlace(this.root, '.');
    if (config !== undefined) writeFileSync(this.place.configFile, withoutTelemetry(config));
    mkdirSync(this.place.state, { mode: 0o700 });
    this.#keeperId = keeperIdentifier(this.place.state);
    whenTestEnds(() => this[Symbol.asyncDispose]().catch(() => undefined));
  }

  /** Runs `surety <words> --json` here: the whole command, in this process and directory. */
  async surety(...words: string[]): Promise<Answer> {
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    const said = Promise.all([text(streams.stdout), text(streams.stderr)]);
    const code = await suretyCommand([...words, '--json', '--directory', this.root], streams);
    for (const stream of Object.values(streams)) stream.end();
    const [stdout, stderr] = await said;
    const last = stdout.trimEnd().split('\n').at(-1);
    if (!last) throw new Error(`surety ${words}: ${stderr}`);
    return { code, value: JSON.parse(last) };
  }

  /** The same, where anything but success is a mistake of the test. */
  async run(...words: string[]): Promise<Answer['value']> {
    const { code, value } = await this.surety(...words);
    if (code === 0) return value;
    throw new Error(`surety ${words.join(' ')} ended with ${code}: ${JSON.stringify(value)}`);
  }

  async up(): Promise<Up> {
    return (await this.run('up')) as unknown as Up;
  }

  client(): Client {
    return patient(connectDaemon(this.place));
  }

  openReader(): Promise<StoreReader> {
    return openLedgerReader(this.place);
  }

  processes(): number[] {
    return processesOf(this.root, this.#keeperId);
  }

  /** Without those by which programs are confined. */
  programs(): number[] {
    return this.processes().filter((pid) => programName(pid) !== 'bwrap');
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#left ??= this.#leave();
    return this.#left;
  }

  async #leave(): Promise<void> {
    const { code, value } = await this.surety('down');
    const left = await this.#untilNoneIsLeft();
    for (const pid of left) process.kill(pid, 'SIGKILL');
    rmSync(this.root, { recursive: true, force: true });
    if (code !== 0) throw new Error(`surety down ended with ${code}: ${JSON.stringify(value)}`);
    if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
  }

  /** A keeper that answered its last request still has to leave. */
  #untilNoneIsLeft(): Promise<number[]> {
    return until('no process is left', () => this.processes().length === 0).then(
      () => [],
      () => this.processes(),
    );
  }
}

const off = { enabled: false };

/** One process less for each system, unless a test says something of it. */
function withoutTelemetry(config: string): string {
  if (config.startsWith('{')) return JSON.stringify({ telemetry: off, ...JSON.parse(config) });
  if (/^telemetry:/m.test(config)) return config;
  return `${config.trimEnd()}\ntelemetry: ${JSON.stringify(off)}\n`;
}
