import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConfinedProgram, Confinement } from '../../confinement/index.ts';
import { type Clock, fault } from '../../kernel/index.ts';
import { execScript } from '../../system/index.ts';
import { viewOf } from '../change/version-view.ts';
import { trimClosedLogs } from '../lane/closed-logs.ts';
import { laneLimits } from '../limits.ts';
import { readSecrets } from '../secrets/secrets.ts';
import { confinedPid } from './confined-pid.ts';
import { healthStatus, isHealthy } from './health.ts';
import type { Host, InstanceSpec, LogPart, StepEnd, StepSpec } from './host.ts';
import {
  boundsOf,
  howItEnded,
  type KeptProcess,
  type ProcessKeeper,
  stateOf,
} from './kept-process.ts';
import { listeningOf } from './listening.ts';
import { readLogPart } from './log-part.ts';
import { findLogLines } from './log-search.ts';
import { meterProcesses } from './process-meter.ts';
import { startAdvice } from './start-advice.ts';

export interface ProcessHostDeps {
  readonly keeper: () => Promise<ProcessKeeper>;
  readonly logs: string;
  readonly clock: Clock;
  /** Where secrets are read from. */
  readonly root: string;
  /** Variables of the daemon's environment that hold secrets: no child inherits them. */
  readonly withheld: () => readonly string[];
  readonly confinement: Confinement;
}

/** Often at first: most services are there within half a second, and somebody waits for them. */
const lookEveryMs = (attempt: number): number => (attempt < 100 ? 10 : 50);
/** Looking whether it still runs costs the keeper more than a connection costs anybody. */
const runsEveryLooks = 8;
const stepLookEveryMs = 50;
const backoffMs = 100;
/** As often as the keeper allows: what it needs may come back at any time. */
const restartsMost = 100_000;
const failureLines = 20;
const toldLines = 5;

/** Instances as processes of this machine, under the keeper. */
export function createProcessHost(deps: ProcessHostDeps): Host {
  const { keeper, logs } = deps;
  return {
    async start(instance) {
      const { service, secrets: references, name } = instance;
      const secrets = await readSecrets({ service, references, root: deps.root });
      const environment = { ...without(instance.environment, deps.withheld()), ...secrets };
      const isConfined = instance.confinedTo !== undefined && deps.confinement.isOn;
      const kept = await keeper();
      const log = join(logs, `${instance.log ?? name}.log`);
      const { next: after } = readLogPart(log, { lines: 0 });
      const child = await kept.start({
        name,
        // A shell for quoting and variables.
        ...programOf(execScript(instance.command), { ...instance, environment }, deps),
        environment,
        leaseMs: null,
        ...(instance.hold === undefined
          ? {}
          : { hold: instance.hold, stopGraceMs: laneLimits.laneStopGraceMs }),
        logFile: log,
        bounds: boundsOf(instance.limits, isConfined, instance.hold === undefined),
        restart: instance.restarts ? { backoffMs, most: restartsMost } : null,
      });
      await waitUntilHealthy(kept, instance, () => readLogPart(log, { lines: toldLines, after }));
      return { name, pid: confinedPid(child.pid), startedAt: child.startedAt };
    },
    run: async (step) => runStep(await keeper(), step, deps),
    async stop(name) {
      const kept = await keeper();
      await kept.stop(name);
      await kept.forget(name);
    },
    hold: async (spec) => ({ endsAt: (await (await keeper()).hold(spec)).leaseEndsAt }),
    release: async (name) => (await keeper()).release(name),
    holds: async () => new Set((await (await keeper()).holds()).map(({ name }) => name)),
    findLines: async (text, linesMax, names) => findLogLines(logs, text, { linesMax, names }),
    trimLogs: (open) => trimClosedLogs(logs, open, deps.clock.now()),
    readLog: async (log, wanted) => readLogPart(join(logs, `${log}.log`), wanted),
    async states() {
      const children = await (await keeper()).list({ use: true });
      return new Map(children.map((child) => [child.name, stateOf(child)]));
    },
    async meter(names) {
      const children = new Map((await (await keeper()).list()).map((child) => [child.name, child]));
      return meterProcesses(names.map((name) => children.get(name)?.pid ?? 0));
    },
    async listeners(name) {
      const child = await find(await keeper(), name);
      return child?.state === 'running' ? listeningOf(child.pid) : [];
    },
    async running() {
      const children = await (await keeper()).list();
      const live = children.filter(({ state }) => state === 'running');
      return new Map(
        live.map(({ name, pid, startedAt }) => [name, { name, pid: confinedPid(pid), startedAt }]),
      );
    },
  };
}

/** When it does not become healthy, nothing of it is left: it would be started again for ever. */
async function waitUntilHealthy(
  keeper: ProcessKeeper,
  instance: InstanceSpec,
  written: () => LogPart,
): Promise<void> {
  const { name } = instance;
  const problem = await whatIsWrong(keeper, instance);
  if (problem === undefined) return;
  await keeper.stop(name);
  await keeper.forget(name);
  const { service, log = name } = instance;
  // The last lines usually explain the failure, so that nobody has to open the log.
  const { lines } = written();
  const lastLines = lines.map((line) => `\n  ${line}`).join('');
  const advice = startAdvice(service, problem);
  const values = { service, reason: problem, log, lines: lastLines, advice };
  const unhealthy = fault('SERVICE_UNHEALTHY', values);
  throw unhealthy.with({ service, reason: problem, lines: [...lines] });
}

async function whatIsWrong(
  keeper: ProcessKeeper,
  instance: InstanceSpec,
): Promise<string | undefined> {
  const { name, port, health, protocol, startMs } = instance;
  const deadline = performance.now() + startMs;
  for (let attempt = 1; performance.now() < deadline; attempt++) {
    const answers = await isHealthy({ port, health, protocol });
    if (answers || attempt % runsEveryLooks === 0) {
      // Also when somebody answers: it may be a stranger on the port of one that has ended.
      const child = await find(keeper, name);
      const crashed = child?.state === 'running' ? child.lastExit : child?.exit;
      if (!child || crashed) return crashed ? howItEnded(crashed) : 'it vanished';
    }
    if (answers) return undefined;
    await delay(lookEveryMs(attempt));
  }
  const where = health === undefined ? `port ${port}` : `${health} on port ${port}`;
  const answered = health === undefined ? undefined : await healthStatus(instance);
  if (answered !== undefined) return `${where} answered ${answered} for ${startMs / 1_000} s`;
  return `${where} did not answer in ${startMs / 1_000} s`;
}

async function runStep(
  keeper: ProcessKeeper,
  step: StepSpec,
  deps: ProcessHostDeps,
): Promise<StepEnd> {
  const { logs, withheld } = deps;
  const { name, command, log } = step;
  const environment = without(step.environment, withheld());
  const path = join(logs, `${log}.log`);
  const { next } = readLogPart(path, { lines: 0 });
  await keeper.start({
    name,
    ...programOf(command, { ...step, environment, ports: registryPorts }, deps),
    environment,
    leaseMs: laneLimits.stepMsMax,
    logFile: path,
    bounds: boundsOf({}, deps.confinement.isOn && step.confinedTo !== undefined),
  });
  const child = await untilExited(keeper, name);
  await keeper.forget(name);
  const { lines } = readLogPart(path, { lines: failureLines, after: next });
  const isDone = child?.exit?.code === 0 && child.exit.reason === 'exited';
  const failure = child?.exit ? howItEnded(child.exit) : 'it vanished';
  return { failure: isDone ? null : failure, lines };
}

/** Installs and builds fetch packages. */
const registryPorts = [80, 443];

type StartedProgram = Pick<InstanceSpec, 'directory' | 'confinedTo' | 'data' | 'environment'> &
  Pick<ConfinedProgram, 'ports'>;

/** Started in its version's own directory, of which it sees nothing else if it is confined. */
export function programOf(
  script: string,
  { directory, confinedTo, data = [], ...program }: StartedProgram,
  { confinement }: Pick<ProcessHostDeps, 'confinement'>,
): { command: readonly string[]; directory: string } {
  if (!confinedTo) return { command: ['/bin/sh', '-c', script], directory };
  const view = { ...program, script, directory, ...viewOf(confinedTo, data) };
  const command = confinement.command(view);
  // Bubblewrap goes to the program's directory itself; without it nobody else would.
  return { command, directory: confinement.isOn ? confinedTo.top : directory };
}

async function untilExited(keeper: ProcessKeeper, name: string): Promise<KeptProcess | undefined> {
  for (;;) {
    const child = await find(keeper, name);
    if (child?.state !== 'running') return child;
    await delay(stepLookEveryMs);
  }
}

async function find(keeper: ProcessKeeper, name: string): Promise<KeptProcess | undefined> {
  return (await keeper.list()).find((kept) => kept.name === name);
}

function without(
  environment: Readonly<Record<string, string>>,
  withheld: readonly string[],
): Record<string, string> {
  const kept = Object.entries(environment).filter(
    ([name, value]) => !withheld.includes(name) || value !== process.env[name],
  );
  return Object.fromEntries(kept);
}
