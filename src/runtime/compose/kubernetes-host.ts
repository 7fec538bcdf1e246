import { dirname } from 'node:path';
import { type Fault, fault, type Instant, isFault, nodeCommand } from '../../kernel/index.ts';
import {
  endLane,
  extendLane,
  type PodReport,
  type PodRun,
  podRunMain,
  podRunVariable,
  readPodReport,
} from '../../kubernetes/index.ts';
import type { Host, InstanceSpec, InstanceState, PodSpec } from '../../lanes/index.ts';
import { preloadFile } from '../../preload/index.ts';
import type { Config, KubernetesConfig } from '../../system/index.ts';

/**
 * Instances of services with `lane.kubernetes` as pods. For each, a process under the keeper stands
 * for the pod: it has its port and its log, and ends with it. So a pod is held, routed to and
 * watched like a local instance.
 */
export function createKubernetesHost(local: Host, config: Config): Host {
  const { kubernetes } = config;
  if (!kubernetes) return local;
  const ends = new Map<string, Instant>();
  return {
    ...local,
    start: (instance) => {
      if (!instance.pod) return local.start(instance);
      const endsAt = ends.get(instance.hold ?? '') ?? 0;
      const started = local.start(podProcess(instance, { config, kubernetes, endsAt }));
      return started.catch((error) => explainStart(error, instance, local));
    },
    hold: async (spec) => {
      const held = await local.hold(spec);
      ends.set(spec.name, held.endsAt);
      if (spec.again) await extendLane(spec.name, held.endsAt, kubernetes);
      return held;
    },
    release: async (name) => {
      await local.release(name);
      ends.delete(name);
      await endLane(name, kubernetes);
    },
    states: async () => {
      const states = [...(await local.states()).values()];
      const explained = await Promise.all(states.map((state) => explainEnd(state, local)));
      return new Map(explained.map((state) => [state.name, state]));
    },
  };
}

interface PodPlace {
  readonly config: Config;
  readonly kubernetes: KubernetesConfig;
  readonly endsAt: Instant;
}

/**
 * The process that stands for the pod is ours: not confined. Its only child is the owner's `build`,
 * in the checkout of the change, which may have edited scripts that the command calls.
 */
export function podProcess(instance: InstanceSpec, place: PodPlace): InstanceSpec {
  const { confinedTo: _, data: __, pod, ...rest } = instance;
  const run = podRun(instance, pod as PodSpec, place);
  return {
    ...rest,
    command: nodeCommand(podRunMain).map(quoted).join(' '),
    environment: { ...ownEnvironment(), [podRunVariable]: JSON.stringify(run) },
    secrets: {},
    limits: {},
    restarts: false,
  };
}

function podRun(
  { service, hold = '', environment, port, protocol }: InstanceSpec,
  pod: PodSpec,
  { config, kubernetes, endsAt }: PodPlace,
): PodRun {
  const { namespace, context, address, routes } = kubernetes;
  // From the running version: a change must not choose the command that is run as the owner.
  const own = config.services[service]?.lane.kubernetes ?? pod;
  const { deployment, container, image, build, manifest, hostnames } = own;
  return {
    namespace,
    context,
    address,
    lane: hold,
    service,
    endsAt,
    deployment,
    container,
    image,
    build,
    manifest,
    directory: pod.top,
    port: pod.port,
    protocol,
    listenPort: port,
    environment: declared(environment),
    ...(environment.SURETY_ROUTER ? { preloadDirectory: dirname(preloadFile) } : {}),
    routes,
    hostnames,
    header: config.routing.header,
  };
}

/** Without what every process of this machine inherits: a pod has its own. */
function declared(environment: Readonly<Record<string, string>>): Record<string, string> {
  const own = Object.entries(environment).filter(
    ([name, value]) => name.startsWith('SURETY_') || process.env[name] !== value,
  );
  return Object.fromEntries(own.filter(([name]) => !inherited.has(name)));
}

const inherited = new Set(['PATH', 'HOME', 'PWD', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL', 'LANG']);

function ownEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith('SURETY_'));
  return Object.fromEntries(entries) as Record<string, string>;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The process only ended; why the pod did, it wrote last. */
async function explainStart(error: unknown, instance: InstanceSpec, local: Host): Promise<never> {
  const { service, log = instance.name } = instance;
  const report = isFault(error, 'SERVICE_UNHEALTHY') ? await lastReport(log, local) : null;
  if (!report) throw error;
  const lines = linesOf(error as Fault).filter((line) => !readPodReport(line));
  const shown = lines.map((line) => `\n  ${line}`).join('');
  const { reason, advice } = report;
  const unhealthy = fault('SERVICE_UNHEALTHY', { service, reason, log, lines: shown, advice });
  // A finding has only the reason: what to do about it must be part of that.
  throw unhealthy.with({ service, reason: `${reason}. ${advice}`, lines, kind: report.kind });
}

function linesOf({ details }: Fault): string[] {
  const { lines } = details ?? {};
  return Array.isArray(lines) ? lines.map(String) : [];
}

async function explainEnd(state: InstanceState, local: Host): Promise<InstanceState> {
  if (state.state !== 'ended' || !state.name.startsWith('lane_')) return state;
  const report = await lastReport(state.name, local);
  return report ? { ...state, ended: `${report.reason}. ${report.advice}` } : state;
}

async function lastReport(log: string, local: Host): Promise<PodReport | null> {
  const { lines } = await local.readLog(log, { lines: 1 });
  return readPodReport(lines.at(-1));
}
