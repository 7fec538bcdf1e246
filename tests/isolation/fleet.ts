import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { tagEnvironment } from '../../src/preload/index.ts';
import { changeable, lanesMax, type Speech, servicesMax } from './plan.ts';
import type { Order, Report } from './service-main.ts';

const program = fileURLToPath(new URL('./service-main.ts', import.meta.url));

/** What all processes share. */
export interface Around {
  readonly routerPort: number;
  readonly natsPort: number;
}

/** The same in every system: a process belongs to its lane for as long as it lives. */
export const laneKey = (lane: number): string => `lane-${lane}`;

export const traceSecret = 'ab'.repeat(32);

/** One process with the preload, that plays a service of one system after the other. */
export class Member {
  readonly service: string;
  readonly instance: string;
  /** The lane whose candidate it is, by number; null in the baseline. */
  readonly lane: number | null;
  readonly #around: Around;
  #child: ChildProcess | undefined;
  #ports: Record<string, number> = {};

  constructor(service: string, lane: number | null, around: Around) {
    this.service = service;
    this.lane = lane;
    this.instance = `${service}/${lane === null ? 'baseline' : laneKey(lane)}/1`;
    this.#around = around;
  }

  /** Starts it unless it runs: no campaign pays for services that none of its systems has. */
  async start(): Promise<void> {
    if (this.#isRunning) return;
    const { service, instance, lane } = this;
    const router = `127.0.0.1:${this.#around.routerPort}`;
    const tagged = { service, instance, router, traceSecret };
    const tag = tagEnvironment(lane === null ? tagged : { ...tagged, lane: laneKey(lane) });
    this.#child = fork(program, [], {
      env: { ...process.env, ...tag, NATS_PORT: String(this.#around.natsPort) },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      execPath: process.execPath,
      // What they say of refused messages is for people.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const [report] = (await once(this.#child, 'message')) as [Report];
    if (report.kind === 'ports') this.#ports = report.ports;
  }

  port(speech: Speech): number {
    return this.#ports[speech] as number;
  }

  async tell(order: Order): Promise<Report> {
    const child = this.#child as ChildProcess;
    child.send(order);
    const [report] = (await once(child, 'message')) as [Report];
    return report;
  }

  async kill(): Promise<void> {
    if (!this.#isRunning) return;
    const child = this.#child as ChildProcess;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  get #isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }
}

/** All processes that the systems of a campaign are played by. */
export class Fleet implements AsyncDisposable {
  readonly baseline: readonly Member[];
  /** Copies of those services that a lane may change. */
  readonly spare: readonly Member[];

  constructor(around: Around) {
    const names = Array.from({ length: servicesMax }, (_, index) => `s${index}`);
    this.baseline = names.map((name) => new Member(name, null, around));
    this.spare = changeable.flatMap((name) =>
      Array.from({ length: lanesMax }, (_, lane) => new Member(name, lane, around)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.baseline, ...this.spare].map((member) => member.kill()));
  }
}
