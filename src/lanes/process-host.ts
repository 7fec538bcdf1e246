import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fault, type Instant, limits } from '../kernel/index.ts';
import { isHealthy } from './health.ts';
import type { HoldSpec, Host, InstanceSpec } from './host.ts';
import { findLogLines } from './log-lines.ts';

/** As much of the keeper as running instances needs; the runtime hands it in. */
export interface ProcessKeeper {
  start(params: {
    name: string;
    command: readonly string[];
    directory: string;
    environment: Readonly<Record<string, string>>;
    leaseMs: number | null;
    logFile: string;
    hold?: string;
  }): Promise<KeptProcess>;
  stop(name: string): Promise<unknown>;
  list(): Promise<readonly KeptProcess[]>;
  forget(name: string): Promise<void>;
  hold(hold: HoldSpec): Promise<{ readonly leaseEndsAt: Instant }>;
  release(name: string): Promise<void>;
  holds(): Promise<readonly { readonly name: string }[]>;
}

interface KeptProcess {
  readonly name: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly state: 'running' | 'exited';
  readonly exit: { readonly code: number | null; readonly signal: string | null } | null;
}

/** Often at first: most services are there within half a second, and somebody waits for them. */
const lookEveryMs = (look: number): number => (look < 100 ? 10 : 50);
/** Looking whether it still runs costs the keeper more than a connection costs anybody. */
const runsEveryLooks = 8;

/** Instances as processes of this machine, under the keeper. */
export function createProcessHost(keeper: () => Promise<ProcessKeeper>, logs: string): Host {
  return {
    async start(instance) {
      const kept = await keeper();
      const child = await kept.start({
        name: instance.name,
        // A shell for quoting and variables; exec, so that signals reach the service itself.
        command: ['/bin/sh', '-c', `exec ${instance.command}`],
        directory: instance.directory,
        environment: instance.environment,
        leaseMs: null,
        ...(instance.hold === undefined ? {} : { hold: instance.hold }),
        logFile: join(logs, `${instance.log ?? instance.name}.log`),
      });
      await waitUntilHealthy(kept, instance);
      return { name: instance.name, pid: child.pid, startedAt: child.startedAt };
    },
    async stop(name) {
      const kept = await keeper();
      await kept.stop(name);
      await kept.forget(name);
    },
    hold: async (spec) => ({ endsAt: (await (await keeper()).hold(spec)).leaseEndsAt }),
    release: async (name) => (await keeper()).release(name),
    holds: async () => new Set((await (await keeper()).holds()).map(({ name }) => name)),
    findLines: async (text, linesMax) => findLogLines(logs, text, linesMax),
    async running() {
      const children = await (await keeper()).list();
      const live = children.filter(({ state }) => state === 'running');
      return new Map(live.map(({ name, pid, startedAt }) => [name, { name, pid, startedAt }]));
    },
  };
}

async function waitUntilHealthy(keeper: ProcessKeeper, instance: InstanceSpec): Promise<void> {
  const { name, port, health } = instance;
  const deadline = performance.now() + limits.serviceStartMsMax;
  for (let look = 1; performance.now() < deadline; look++) {
    const answers = await isHealthy(port, health);
    if (answers || look % runsEveryLooks === 0) {
      // Also when somebody answers: it may be a stranger on the port of one that has ended.
      const child = (await keeper.list()).find((kept) => kept.name === name);
      if (child?.state !== 'running') throw unhealthy(instance, `it ended with ${how(child)}`);
    }
    if (answers) return;
    await delay(lookEveryMs(look));
  }
  await keeper.stop(name);
  throw unhealthy(instance, `port ${port} did not answer in ${limits.serviceStartMsMax / 1_000} s`);
}

function how(child: KeptProcess | undefined): string {
  return child?.exit?.signal ?? `code ${child?.exit?.code ?? 'unknown'}`;
}

function unhealthy({ service, name, log = name }: InstanceSpec, reason: string): Error {
  return fault('SERVICE_UNHEALTHY', { service, reason, log });
}
