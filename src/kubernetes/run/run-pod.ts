import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { CoreV1Event, V1Deployment, V1Pod } from '@kubernetes/client-node';
import { type Clock, fault } from '../../kernel/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { collectionPath, objectPath } from '../cluster/paths.ts';
import { deriveDeployment } from '../objects/derive-deployment.ts';
import { laneName, objectName } from '../objects/lane-labels.ts';
import {
  areContainersReady,
  deploymentProblem,
  type PodProblem,
  podProblem,
} from '../objects/pod-problem.ts';
import {
  createRoute,
  createSecret,
  ensurePreload,
  ensureTimer,
  isRouteAccepted,
} from './lane-objects.ts';
import type { PodRun } from './pod-run.ts';
import { listenRelay } from './relay.ts';
import { openReturnPath } from './return-path.ts';
import { checkServices, findTemplate } from './template.ts';
import { listPods, watchPod } from './watch-pod.ts';

const lookEveryMs = 200;
const refusedEveryMs = 1_000;
/** A gateway that writes no status is not waited for longer; the first requests show the rest. */
const routeMsMax = 10_000;

export interface RunDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly output: NodeJS.WritableStream;
}

/** Runs one version of one service as a pod, until the pod has a problem. */
export async function runPod(run: PodRun, deps: RunDeps): Promise<PodProblem> {
  const { cluster, clock, output } = deps;
  const image = await buildImage(run, output);
  const template = await findTemplate(run, cluster);
  await checkServices(template, run, cluster);
  const owner = await ensureTimer(run, clock.now(), cluster);
  const back = await openReturnPath(run, template, {
    cluster,
    findPods: async () => (await listPods(run, cluster)).items,
  });
  const common = {
    ...(await ensurePreload(run, owner, cluster)),
    ...(await createSecret(run, owner, { stringData: back.secrets, cluster })),
  };
  const { lane, service, container } = run;
  const { environment } = back;
  const derived = deriveDeployment(template, {
    lane,
    service,
    owner,
    container,
    image,
    environment,
    ...common,
  });
  await cluster.create(collectionPath('deployments', run.namespace), derived);
  const route = await createRoute(run, owner, cluster);
  const changes = watchPod(run, cluster);
  const started = new AbortController();
  const refused = untilRefused(run, cluster, started.signal);
  const { pod, problem } = await Promise.race([untilRunning(changes, run, deps), refused]);
  started.abort();
  if (!pod) return problem as PodProblem;
  const { podIP: host = '' } = pod.status ?? {};
  followLog(pod, run, deps);
  if (route) await untilAccepted(() => isRouteAccepted(route, run, cluster));
  await listenRelay({ host: '127.0.0.1', port: run.listenPort }, () => ({ host, port: run.port }));
  return untilProblem(changes);
}

async function buildImage(
  { build, image, lane, service, directory }: PodRun,
  output: NodeJS.WritableStream,
): Promise<string | undefined> {
  if (build === undefined) return undefined;
  const name = `${image ?? service}:${laneName(lane)}`;
  const env = { ...process.env, SURETY_IMAGE: name, SURETY_SERVICE: service };
  const child = spawn('/bin/sh', ['-c', build], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  const [code, signal] = await once(child, 'close');
  if (code === 0) return name;
  throw fault('KUBERNETES_BUILD_FAILED', {
    service,
    reason: `${build} ended with ${signal ?? `code ${code}`}`,
  });
}

type PodChanges = AsyncGenerator<V1Pod | null>;

interface StartedPod {
  readonly pod?: V1Pod;
  readonly problem?: PodProblem;
}

/** The host that started this process bounds how long it may take. */
async function untilRunning(
  changes: PodChanges,
  run: PodRun,
  { cluster, output }: RunDeps,
): Promise<StartedPod> {
  for (let told = ''; ; ) {
    const { value: pod } = await changes.next();
    if (!pod) continue;
    const problem = podProblem(pod, await eventsOf(pod, run, cluster));
    if (problem?.isFinal) return { problem };
    if (areContainersReady(pod)) return { pod };
    // Why it takes so long, for the log.
    if (problem && problem.reason !== told) {
      told = problem.reason;
      output.write(`${told}\n`);
    }
  }
}

/** A quota or webhook that takes the Deployment may refuse its pod; the Deployment says so. */
async function untilRefused(
  run: PodRun,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<StartedPod> {
  const path = objectPath('deployments', run.namespace, objectName(run));
  while (!signal.aborted) {
    await delay(refusedEveryMs);
    const found = await cluster.find<V1Deployment>(path, 'get the Deployment').catch(() => null);
    const problem = found && deploymentProblem(found);
    if (problem) return { problem };
  }
  return {};
}

async function eventsOf(
  { metadata, status }: V1Pod,
  { namespace }: PodRun,
  cluster: Cluster,
): Promise<CoreV1Event[]> {
  const isUnready = status?.phase === 'Running';
  if (!isUnready) return [];
  const selector = encodeURIComponent(`involvedObject.name=${metadata?.name},reason=Unhealthy`);
  const path = `${collectionPath('events', namespace)}?fieldSelector=${selector}`;
  return (await cluster.call<{ items: CoreV1Event[] }>(path, { what: 'list events' })).items;
}

async function untilAccepted(isAccepted: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + routeMsMax;
  while (performance.now() < deadline) {
    if (await isAccepted()) return;
    await delay(lookEveryMs);
  }
}

/** One that is deleted is as dead as one that crashed. */
async function untilProblem(changes: PodChanges): Promise<PodProblem> {
  for (;;) {
    const { value: pod } = await changes.next();
    const problem = podProblem(pod ?? { metadata: { deletionTimestamp: new Date(0) } });
    if (problem?.isFinal) return problem;
  }
}

/** Into our own output, which the keeper keeps like that of a local service. */
function followLog({ metadata, spec }: V1Pod, run: PodRun, { cluster, output }: RunDeps): void {
  const container = run.container ?? spec?.containers[0]?.name ?? '';
  const path = `${collectionPath('pods', run.namespace)}/${metadata?.name}/log?follow=true&container=${encodeURIComponent(container)}`;
  const copy = async (): Promise<void> => {
    const log = await cluster.stream(path, `read the log of ${metadata?.name}`);
    log.pipe(output, { end: false });
    log.on('error', () => undefined);
  };
  copy().catch(() => undefined);
}
