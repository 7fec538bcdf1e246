import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import type { Cluster } from '../cluster/cluster.ts';
import { preloadDirectory } from '../objects/derive-deployment.ts';
import type { PodRun } from './pod-run.ts';
import { listenRelay, localAddressTowards } from './relay.ts';
import { baselineAddress } from './template.ts';

/** How a pod reaches the router and telemetry of this machine. */
export interface ReturnPath {
  /** The variables of the pod, with addresses that lead here. */
  readonly environment: Readonly<Record<string, string>>;
  /** Those that nobody else should read. */
  readonly secrets: Readonly<Record<string, string>>;
}

const addresses = ['SURETY_ROUTER', 'SURETY_TELEMETRY'];
const secretNames = /^SURETY_(?:TRACE_SECRET|SENDER_KEY)$/;

/** Router and telemetry listen on loopback; only pods of the lane may use these ports to them. */
export async function openReturnPath(
  run: PodRun,
  template: V1Deployment,
  {
    cluster,
    findPods,
  }: { readonly cluster: Cluster; readonly findPods: () => Promise<readonly V1Pod[]> },
): Promise<ReturnPath> {
  const entries = Object.entries(podVariables(run.environment));
  const secrets = entries.filter(([name]) => secretNames.test(name));
  const plain = entries.filter(([name]) => !secretNames.test(name));
  const wanted = plain.filter(([name]) => addresses.includes(name));
  if (wanted.length === 0)
    return { environment: Object.fromEntries(plain), secrets: Object.fromEntries(secrets) };
  const host = run.address ?? (await ownAddress(run, template, cluster));
  const admits = admitPods(findPods);
  const moved: [string, string][] = [];
  for (const [name, address] of wanted) {
    const [, port = ''] = /:(\d+)$/.exec(address) ?? [];
    const target = { host: '127.0.0.1', port: Number(port) };
    const relay = await listenRelay({ host, port: 0 }, () => target, admits);
    moved.push([name, `${host}:${relay.port}`]);
  }
  return {
    environment: Object.fromEntries([...plain, ...moved]),
    secrets: Object.fromEntries(secrets),
  };
}

async function ownAddress(run: PodRun, template: V1Deployment, cluster: Cluster): Promise<string> {
  const pod = await baselineAddress(template, run, cluster);
  return localAddressTowards(pod ?? new URL(cluster.server).hostname);
}

/** The pod calls as soon as it runs, maybe before anybody has seen its address. */
function admitPods(
  findPods: () => Promise<readonly V1Pod[]>,
): (remote: string) => Promise<boolean> {
  const known = new Set<string>();
  return async (remote) => {
    if (known.has(remote)) return true;
    for (const { status } of await findPods()) if (status?.podIP) known.add(status.podIP);
    return known.has(remote);
  };
}

/** Ports and paths of this machine mean nothing in a pod; it listens where its image says. */
const localVariables =
  /^(?:PORT|SURETY_LISTEN_PORT|SURETY_OWN_PORT|SURETY_COVERAGE|SURETY_REUSE_PORT|PYTHONPATH)$/;

/** Pure. The preload is mounted in the pod at a place of its own. */
export function podVariables(
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(environment).filter(([name]) => !localVariables.test(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === 'NODE_OPTIONS'
        ? value.replace(/--require "[^"]*\/tag\.cjs"/, `--require "${preloadDirectory}/tag.cjs"`)
        : value,
    ]),
  );
}
