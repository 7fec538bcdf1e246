import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { V1Deployment, V1Job } from '@kubernetes/client-node';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkCluster } from '../../src/kubernetes/check/check-cluster.ts';
import type { Cluster } from '../../src/kubernetes/cluster/cluster.ts';
import { endLane, extendLane } from '../../src/kubernetes/end-lane.ts';
import { changeNamespace } from '../../src/kubernetes/manifests/change-namespace.ts';
import { daemonManifests } from '../../src/kubernetes/manifests/daemon-manifests.ts';
import { laneLabel, laneName, objectName } from '../../src/kubernetes/objects/lane-labels.ts';
import { reapNamespaces } from '../../src/kubernetes/reap-namespaces.ts';
import type { PodRun } from '../../src/kubernetes/run/pod-run.ts';
import { preloadFile } from '../../src/preload/index.ts';
import { freePort } from '../harness/free-ports.ts';
import { until } from '../harness/until.ts';
import {
  apply,
  collectionPath,
  hasCluster,
  makeNamespace,
  namesOf,
  objectPath,
  openCluster,
  runsPods,
} from './fixtures/cluster.ts';

const bundle = process.env.SURETY_TEST_BUNDLE;
const main = bundle
  ? join(bundle, 'kubernetes-run-main.js')
  : join(import.meta.dirname, '../../src/kubernetes/run/main.ts');

function deployment(name: string, image = 'surety.test/none:1'): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image, resources: { limits: { memory: '64Mi' } } }] },
      },
    },
  };
}

/** The process that stands for a pod, as the keeper starts it. */
function startRun(run: PodRun): { child: ChildProcess; written: () => string } {
  const env = { ...process.env, SURETY_POD_RUN: JSON.stringify(run) };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, written: () => text };
}

const ended = (child: ChildProcess): Promise<unknown> =>
  until('the process ends', () => child.exitCode !== null || child.signalCode !== null);

describe.skipIf(!hasCluster)('in the control plane of a real cluster', () => {
  const namespace = `shop-${process.pid}`;
  let cluster: Cluster;
  let lanes = 0;
  const nextRun = (more: Partial<PodRun> = {}): PodRun => ({
    namespace,
    address: '127.0.0.1',
    lane: `lane_${process.pid}_${++lanes}`,
    service: 'prices',
    endsAt: Date.now() + 600_000,
    deployment: 'prices',
    directory: '/',
    port: 4401,
    protocol: 'http',
    listenPort: 0,
    environment: { SURETY_TRACE_SECRET: 'hidden', SURETY_ROUTER: '127.0.0.1:9', CURRENCY: 'EUR' },
    preloadDirectory: dirname(preloadFile),
    routes: [],
    ...more,
  });
  const objectsOf = async (lane: string): Promise<string[]> => {
    const kinds = ['jobs', 'deployments', 'secrets', 'configmaps', 'services'] as const;
    const found = await Promise.all(
      kinds.map(async (kind) =>
        (await namesOf(cluster, kind, namespace, { [laneLabel]: lane })).map(
          (name) => `${kind}/${name}`,
        ),
      ),
    );
    return found.flat();
  };
  const untilCreated = (run: PodRun) =>
    until('the Deployment is created', () =>
      cluster.find<V1Deployment>(objectPath('deployments', namespace, objectName(run)), 'get it'),
    );

  beforeAll(async () => {
    cluster = await openCluster();
    await makeNamespace(cluster, namespace);
    await apply(cluster, [deployment('prices')], namespace);
  });

  test('a candidate is a Deployment with an owner, the preload and a Secret; stopping removes it', async () => {
    const run = nextRun();
    const { child } = startRun(run);
    const derived = await untilCreated(run);
    expect(derived.metadata?.ownerReferences).toMatchObject([
      { kind: 'Job', name: laneName(run.lane) },
    ]);
    const [container] = derived.spec?.template.spec?.containers ?? [];
    expect(container?.env).toContainEqual({ name: 'CURRENCY', value: 'EUR' });
    expect(container?.env?.map(({ name }) => name)).not.toContain('SURETY_TRACE_SECRET');
    expect(container?.envFrom).toEqual([{ secretRef: { name: objectName(run) } }]);
    expect((await objectsOf(run.lane)).length).toBe(4);
    child.kill('SIGTERM');
    await ended(child);
    const left = await objectsOf(run.lane);
    expect(left.filter((name) => /deployments|secrets/.test(name))).toEqual([]);
    await endLane(run.lane, { namespace });
    await until('nothing is left', async () => (await objectsOf(run.lane)).length === 0);
  });

  // proves: kubernetes.ends
  test('a lane ends on time although its process was killed', async () => {
    const run = nextRun({ endsAt: Date.now() + 20_000 });
    const { child } = startRun(run);
    await untilCreated(run);
    child.kill('SIGKILL');
    expect((await objectsOf(run.lane)).length).toBe(4);
    await until(
      'the cluster has removed everything',
      async () => (await objectsOf(run.lane)).length === 0,
    );
  });

  test('an extended lane has a later end in the cluster', async () => {
    const run = nextRun();
    const { child } = startRun(run);
    await untilCreated(run);
    const path = objectPath('jobs', namespace, laneName(run.lane));
    const deadline = async (): Promise<number> =>
      (await cluster.call<V1Job>(path, { what: 'get the timer' })).spec?.activeDeadlineSeconds ?? 0;
    const before = await deadline();
    await extendLane(run.lane, run.endsAt + 600_000, { namespace });
    expect(await deadline()).toBeGreaterThanOrEqual(before + 590);
    child.kill('SIGTERM');
    await endLane(run.lane, { namespace });
  });

  test.each([
    ['a Deployment that is not there', { deployment: 'nobody' }, 'KUBERNETES_DEPLOYMENT_UNKNOWN'],
    ['a container that is not there', { container: 'nobody' }, 'KUBERNETES_CONTAINER_UNKNOWN'],
    ['a build that fails', { build: 'echo no space; exit 3' }, 'KUBERNETES_BUILD_FAILED'],
  ])('%s is reported in the last line, and nothing is left', async (_, more, kind) => {
    const run = nextRun(more);
    const { child, written } = startRun(run);
    await ended(child);
    expect(JSON.parse(written().trim().split('\n').at(-1) ?? '')).toMatchObject({
      surety: 'pod-problem',
      kind,
      advice: expect.stringMatching(/\w/),
    });
    await endLane(run.lane, { namespace });
    await until('nothing is left', async () => (await objectsOf(run.lane)).length === 0);
  });

  /** Where no node runs pods, this writes what the kubelet of a node would write. */
  const writePod = async (run: PodRun, status: object): Promise<void> => {
    const name = `${objectName(run)}-0`;
    const labels = { [laneLabel]: run.lane, 'surety.dev/service': run.service };
    const spec = {
      containers: [
        { name: 'main', image: 'surety.test/none:1', resources: { limits: { memory: '64Mi' } } },
      ],
    };
    await apply(
      cluster,
      [{ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec }],
      namespace,
    );
    await cluster.call(`${objectPath('pods', namespace, name)}/status`, {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { status },
      what: 'write the status of a pod',
    });
  };
  const container = { name: 'main', image: 'surety.test/none:1', imageID: '', restartCount: 0 };

  test.skipIf(runsPods)(
    'requests reach a pod through the process, until it is OOMKilled',
    async () => {
      const service = createServer((_, response) => void response.end('from the pod'));
      service.listen(0, '127.0.0.1');
      await once(service, 'listening');
      onTestFinished(() => void service.close());
      const { port } = service.address() as AddressInfo;
      const listenPort = await freePort();
      const run = nextRun({ port, listenPort });
      const { child, written } = startRun(run);
      await untilCreated(run);
      const running = { ...container, ready: true, started: true, state: { running: {} } };
      await writePod(run, {
        phase: 'Running',
        podIP: '127.0.0.1',
        podIPs: [{ ip: '127.0.0.1' }],
        conditions: [{ type: 'ContainersReady', status: 'True' }],
        containerStatuses: [running],
      });
      const ask = async (): Promise<string | null> =>
        fetch(`http://127.0.0.1:${listenPort}`).then(
          (response) => response.text(),
          () => null,
        );
      expect(await until('it answers', ask)).toBe('from the pod');
      const killed = { exitCode: 137, reason: 'OOMKilled', startedAt: null, finishedAt: null };
      await cluster.call(`${objectPath('pods', namespace, `${objectName(run)}-0`)}/status`, {
        method: 'PATCH',
        contentType: 'application/merge-patch+json',
        body: {
          status: {
            containerStatuses: [{ ...container, ready: false, state: { terminated: killed } }],
          },
        },
        what: 'write the status of a pod',
      });
      await ended(child);
      expect(JSON.parse(written().trim().split('\n').at(-1) ?? '')).toEqual({
        surety: 'pod-problem',
        kind: 'out-of-memory',
        reason: 'OOMKilled: the container main needed more memory than its limit, 64Mi',
        advice: expect.stringContaining('Raise resources.limits.memory'),
      });
      await cluster.remove(objectPath('jobs', namespace, laneName(run.lane)));
    },
  );

  test('a Service that takes unready pods refuses the lane', async () => {
    const name = 'open';
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: {
        selector: { app: name },
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        ports: [{ port: 80 }],
      },
    };
    await apply(cluster, [deployment(name), service], namespace);
    const { child, written } = startRun(nextRun({ deployment: name }));
    await ended(child);
    expect(written()).toContain('KUBERNETES_LABELS_SHARED');
  });

  // proves: kubernetes.rights
  test('an account with the printed Role has every right, and one without is told which it lacks', async () => {
    const options = { namespace, daemonNamespace: namespace, hasRoutes: false };
    const manifests = daemonManifests({ ...options, account: 'bound' });
    await apply(cluster, manifests);
    await apply(cluster, daemonManifests({ ...options, account: 'unbound' }).slice(0, 1));
    const wanted = { namespace, routes: [], deployments: { prices: 'prices', stock: 'nobody' } };
    const checked = async (account: string) => {
      using as = await actAs(cluster, namespace, account);
      return (await checkCluster({ ...wanted, context: as.context })).map(
        ({ name, level, detail }) => [name, level, detail],
      );
    };
    expect(await checked('bound')).toEqual([
      ['cluster', 'ok', expect.stringContaining('Kubernetes v1.')],
      ['rights', 'ok', expect.stringMatching(/^all \d+ rights/)],
      ['prices', 'warn', expect.stringContaining('0 ready of 1')],
      ['stock', 'bad', expect.stringContaining('no Deployment nobody')],
    ]);
    const [, rights] = await checked('unbound');
    expect(rights).toEqual([
      'rights',
      'bad',
      expect.stringContaining('create deployments (runs candidates'),
    ]);
  });

  test('the namespace of a change gets a quota that refuses more than it allows', async () => {
    const task = `quota-${process.pid}`;
    await apply(cluster, changeNamespace({ task, minutes: 30 }));
    const place = `agent-task-${task}`;
    const quota = objectPath('resourcequotas', place, 'agent-validation-quota');
    await until(
      'the quota is counted',
      async () =>
        (await cluster.call<{ status?: { hard?: object } }>(quota, { what: 'get it' })).status
          ?.hard,
    );
    const pod = (cpu: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${cpu}` },
      spec: { containers: [{ name: 'main', image: 'none', resources: { requests: { cpu } } }] },
    });
    await expect(
      cluster.create(collectionPath('pods', place), pod('5') as never),
    ).rejects.toMatchObject({
      code: 'KUBERNETES_QUOTA',
      message: expect.stringContaining('exceeded quota: agent-validation-quota'),
    });
    await cluster.create(collectionPath('pods', place), pod('1') as never);
  });

  test('a namespace whose lifetime is over is deleted, and no other', async () => {
    const made = (name: string, ttl: string): object => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { purpose: 'agent-validation', ttl } },
    });
    const [short, long] = [`short-${process.pid}`, `long-${process.pid}`];
    await apply(cluster, [made(short, '1s'), made(long, '30m')]);
    const { deleted } = await reapNamespaces(undefined, Date.now() + 60_000);
    expect(deleted).toContain(short);
    expect(deleted).not.toContain(long);
    await until(
      'it is gone',
      async () => (await cluster.find(`/api/v1/namespaces/${short}`, 'get it')) === null,
    );
  });
});

/** A kubeconfig with a real token of a service account, in force until it is disposed of. */
async function actAs(
  cluster: Cluster,
  namespace: string,
  account: string,
): Promise<{ context: string } & Disposable> {
  const { status } = await cluster.call<{ status: { token: string } }>(
    `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    {
      method: 'POST',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      what: 'get a token',
    },
  );
  const directory = mkdtempSync(join(tmpdir(), 'surety-account-'));
  const owner = process.env.KUBECONFIG;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': account,
    clusters: [
      { name: 'test', cluster: { server: cluster.server, 'insecure-skip-tls-verify': true } },
    ],
    users: [{ name: account, user: { token: status.token } }],
    contexts: [{ name: account, context: { cluster: 'test', user: account } }],
  };
  process.env.KUBECONFIG = join(directory, 'config');
  writeFileSync(process.env.KUBECONFIG, JSON.stringify(config));
  return {
    context: account,
    [Symbol.dispose]() {
      process.env.KUBECONFIG = owner;
      rmSync(directory, { recursive: true });
    },
  };
}
