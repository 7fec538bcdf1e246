import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { listPids, readStat } from '../../src/keeper/strays/processes.ts';
import { tryOr } from '../../src/kernel/index.ts';
import { type Cluster, connectCluster } from '../../src/kubernetes/cluster/cluster.ts';
import { debianDirectory, programPath } from './binaries.ts';
import {
  apiServer,
  type NodeFiles,
  nodeAddress,
  podNetwork,
  serviceNetwork,
  writeNodeFiles,
} from './node-files.ts';

const startMsMax = 180_000;
const lookEveryMs = 250;

/** A real cluster of one node. Its processes share the network namespace of this process. */
export interface TestNode {
  readonly files: NodeFiles;
  stop(): Promise<void>;
}

/** Starts the control plane and, unless `isBare`, what runs pods, and waits until it is ready. */
export async function startNode(root: string, { isBare }: { isBare: boolean }): Promise<TestNode> {
  const files = writeNodeFiles(root);
  const children: ChildProcess[] = [];
  const start: Start = (name, path, ...options) => {
    const child = spawn(path, options, {
      env: environment(files),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log = createWriteStream(join(root, `${name}.log`));
    for (const stream of [child.stdout, child.stderr]) stream?.pipe(log, { end: false });
    // A program that cannot be started shows in what never becomes ready.
    child.on('error', (error) => log.write(`${error.message}\n`));
    children.push(child);
  };
  const stop = (): Promise<void> => stopNode(children, files);
  process.env.KUBECONFIG = files.kubeconfig;
  try {
    startControlPlane(start, files);
    const cluster = await connectCluster(undefined);
    await until('the API server', () => find(cluster, '/api/v1/namespaces/default'));
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await until('the controllers', () => find(cluster, account));
    if (isBare) return { files, stop };
    startAgents(start, files);
    await until('the node', () => isNodeReady(cluster));
    return { files, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function find(cluster: Cluster, path: string): Promise<boolean> {
  return (await cluster.find(path, `get ${path}`)) !== null;
}

async function isNodeReady(cluster: Cluster): Promise<boolean> {
  const path = '/api/v1/nodes/node-1';
  const node = await cluster.find<NodeObject>(path, 'get the node');
  const ready = node?.status.conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'True';
}

interface NodeObject {
  readonly status: {
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}

type Start = (name: string, path: string, ...options: string[]) => void;

function startControlPlane(
  start: Start,
  { root, tokens, accountKey, kubeconfig }: NodeFiles,
): void {
  const store = 'http://127.0.0.1:2379';
  start(
    'etcd',
    programPath('etcd'),
    `--data-dir=${root}/etcd`,
    `--listen-client-urls=${store}`,
    `--advertise-client-urls=${store}`,
    '--listen-peer-urls=http://127.0.0.1:2380',
    '--unsafe-no-fsync',
  );
  start(
    'kube-apiserver',
    programPath('kube-apiserver'),
    `--etcd-servers=${store}`,
    `--cert-dir=${root}/certificates`,
    `--advertise-address=${nodeAddress}`,
    `--service-cluster-ip-range=${serviceNetwork}`,
    `--token-auth-file=${tokens}`,
    '--authorization-mode=RBAC',
    '--allow-privileged=true',
    `--service-account-key-file=${accountKey}`,
    `--service-account-signing-key-file=${accountKey}`,
    `--service-account-issuer=${apiServer}`,
  );
  start(
    'kube-controller-manager',
    programPath('kube-controller-manager'),
    `--kubeconfig=${kubeconfig}`,
    `--service-account-private-key-file=${accountKey}`,
    '--leader-elect=false',
    `--cert-dir=${root}/certificates`,
  );
}

function startAgents(start: Start, files: NodeFiles): void {
  const { root, kubeconfig, containerdConfig, kubeletConfig } = files;
  start(
    'kube-scheduler',
    programPath('kube-scheduler'),
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
  );
  start('containerd', join(debianDirectory, 'usr/bin/containerd'), '--config', containerdConfig);
  start(
    'kubelet',
    programPath('kubelet'),
    `--config=${kubeletConfig}`,
    `--kubeconfig=${kubeconfig}`,
    `--root-dir=${root}/kubelet`,
    `--cert-dir=${root}/certificates`,
    '--hostname-override=node-1',
    `--node-ip=${nodeAddress}`,
  );
  start(
    'kube-proxy',
    programPath('kube-proxy'),
    `--kubeconfig=${kubeconfig}`,
    '--hostname-override=node-1',
    `--cluster-cidr=${podNetwork}`,
    '--proxy-mode=iptables',
    '--conntrack-max-per-core=0',
    '--conntrack-tcp-timeout-established=0s',
    '--conntrack-tcp-timeout-close-wait=0s',
  );
}

function environment({ programs }: NodeFiles): NodeJS.ProcessEnv {
  const libraries = join(debianDirectory, 'usr/lib/x86_64-linux-gnu');
  const places = [programs, join(debianDirectory, 'usr/bin'), join(debianDirectory, 'usr/sbin')];
  return {
    ...process.env,
    PATH: [...places, process.env.PATH].join(':'),
    LD_LIBRARY_PATH: libraries,
    XTABLES_LIBDIR: join(libraries, 'xtables'),
  };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + startMsMax;
  for (let reason = ''; ; ) {
    try {
      if (await holds()) return;
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    if (performance.now() > deadline) throw new Error(`${what} did not become ready: ${reason}`);
    await delay(lookEveryMs);
  }
}

/** Pods first: what containerd leaves behind outlives it. */
async function stopNode(
  children: readonly ChildProcess[],
  { containerdSocket, root }: NodeFiles,
): Promise<void> {
  const ctr = (...words: string[]): string =>
    execFileSync(
      join(debianDirectory, 'usr/bin/ctr'),
      ['-a', containerdSocket, '-n', 'k8s.io', ...words],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
  // The kubelet would start again what is ended here.
  for (const child of children.toReversed().slice(0, 2)) await ended(child);
  try {
    for (const task of ctr('tasks', 'ls', '-q').split('\n').filter(Boolean)) {
      ctr('tasks', 'delete', '-f', task);
    }
    for (const container of ctr('containers', 'ls', '-q').split('\n').filter(Boolean)) {
      ctr('containers', 'delete', container);
    }
  } catch {
    // It has never started.
  }
  for (const child of children.toReversed()) await ended(child);
  endShims(containerdSocket);
  unmountBelow(root);
}

/** What containerd could not delete: a shim for each pod, which holds the pod's containers. */
function endShims(containerdSocket: string): void {
  const processes = listPids().map((pid) => ({ pid, parent: readStat(pid)?.parent }));
  for (const { pid } of processes.filter(({ pid: one }) => isShim(one, containerdSocket))) {
    const containers = processes.filter(({ parent }) => parent === pid);
    for (const one of [...containers, { pid }])
      tryOr(() => process.kill(one.pid, 'SIGKILL'), false);
  }
}

function isShim(pid: number, containerdSocket: string): boolean {
  const words = tryOr(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').split('\0');
  return /containerd-shim/.test(words[0] ?? '') && words.includes(containerdSocket);
}

/** Volumes of pods stay mounted when the kubelet ends. */
function unmountBelow(root: string): void {
  const places = readFileSync('/proc/mounts', 'utf8').split('\n');
  const own = places
    .map((line) => line.split(' ')[1] ?? '')
    .filter((at) => at.startsWith(`${root}/`));
  for (const place of own.toReversed()) execFileSync('umount', ['--lazy', place]);
}

const endMsMax = 10_000;

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await Promise.race([over, delay(endMsMax).then(() => child.kill('SIGKILL'))]);
}
