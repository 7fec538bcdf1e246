import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { tagEnvironment } from '../../src/preload/index.ts';
import { changeable, copies, type Speech, servicesMax } from './plan.ts';
import type { Order, Report } from './service-main.ts';

const program = fileURLToPath(new URL('./service-main.ts', import.meta.url));

export const traceSecret = 'ab'.repeat(32);

/** One process with the preload, that plays a service of one system after the other. */
export class Member {
  readonly service: string;
  readonly instance: string;
  readonly #router: string;
  #child: ChildProcess | undefined;
  #ports: Record<string, number> = {};

  constructor(service: string, instance: string, router: string) {
    this.service = service;
    this.instance = instance;
    this.#router = router;
  }

  async start(): Promise<void> {
    const { service, instance } = this;
    const tag = tagEnvironment({ service, instance, router: this.#router, traceSecret });
    this.#child = fork(program, [], {
      env: { ...process.env, ...tag },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      execPath: process.execPath,
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
    const child = this.#child as ChildProcess;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}

/** All processes that the systems of a campaign are played by. */
export class Fleet implements AsyncDisposable {
  readonly baseline: readonly Member[];
  /** Copies of those services that a lane may change. */
  readonly spare: readonly Member[];

  private constructor(router: string) {
    const names = Array.from({ length: servicesMax }, (_, index) => `s${index}`);
    this.baseline = names.map((name) => new Member(name, `${name}/baseline/1`, router));
    this.spare = changeable.flatMap((name) =>
      Array.from({ length: copies }, (_, n) => new Member(name, `${name}/copy/${n}`, router)),
    );
  }

  static async start(routerPort: number): Promise<Fleet> {
    const fleet = new Fleet(`127.0.0.1:${routerPort}`);
    await Promise.all(fleet.members.map((member) => member.start()));
    return fleet;
  }

  get members(): readonly Member[] {
    return [...this.baseline, ...this.spare];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
  }
}
