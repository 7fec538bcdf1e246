import type { V1Deployment } from '@kubernetes/client-node';
import { isFault, toFault } from '../../kernel/index.ts';
import { type Cluster, connectCluster } from '../cluster/cluster.ts';
import { objectPath } from '../cluster/paths.ts';
import type { RouteParent } from '../objects/lane-routes.ts';
import { accessReviews, laneRights, routeRights } from '../objects/rights.ts';
import { checkServices } from '../run/template.ts';

/** One line of `surety kubernetes check`. */
export interface ClusterCheck {
  readonly name: string;
  readonly level: 'ok' | 'warn' | 'bad';
  readonly detail: string;
  readonly remedy?: string;
}

export interface CheckedCluster {
  readonly namespace: string;
  readonly context?: string | undefined;
  readonly routes: readonly RouteParent[];
  /** Services that run as Deployments, with the name of each. */
  readonly deployments: Readonly<Record<string, string>>;
}

/** What works and what is missing before a lane can be opened in the cluster. */
export async function checkCluster(wanted: CheckedCluster): Promise<ClusterCheck[]> {
  const cluster = await connectCluster(wanted.context);
  const version = await attempt('cluster', () => checkVersion(cluster));
  if (version.level === 'bad') return [version];
  const checks = [version, await attempt('rights', () => checkRights(cluster, wanted))];
  for (const [service, deployment] of Object.entries(wanted.deployments)) {
    checks.push(await attempt(service, () => checkDeployment(deployment, wanted, cluster)));
  }
  for (const parent of wanted.routes) {
    checks.push(await attempt('gateway', () => checkParent(parent, wanted, cluster)));
  }
  return checks;
}

async function attempt(
  name: string,
  check: () => Promise<Omit<ClusterCheck, 'name'>>,
): Promise<ClusterCheck> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    const { message, remedy } = toFault(error).report();
    return { name, level: 'bad', detail: message, remedy };
  }
}

type Checked = Omit<ClusterCheck, 'name'>;

async function checkVersion(cluster: Cluster): Promise<Checked> {
  const what = 'read its version';
  const { gitVersion } = await cluster.call<{ gitVersion: string }>('/version', { what });
  return { level: 'ok', detail: `${cluster.server} answers, Kubernetes ${gitVersion}` };
}

async function checkRights(
  cluster: Cluster,
  { namespace, routes }: CheckedCluster,
): Promise<Checked> {
  const rights = [...laneRights, ...(routes.length > 0 ? routeRights : [])];
  const reviews = accessReviews(rights, namespace);
  const missing: string[] = [];
  for (const { right, purpose, attributes } of reviews) {
    const { status } = await cluster.call<{ status: { allowed: boolean } }>(reviewPath, {
      method: 'POST',
      what: 'ask for its rights',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: attributes },
      },
    });
    if (!status.allowed) missing.push(`${right} (${purpose})`);
  }
  return describeRights(missing, reviews.length, namespace);
}

const reviewPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Pure. */
export function describeRights(
  missing: readonly string[],
  count: number,
  namespace: string,
): Checked {
  if (missing.length === 0) return { level: 'ok', detail: `all ${count} rights in ${namespace}` };
  return {
    level: 'bad',
    detail: `missing in ${namespace}: ${missing.join(', ')}`,
    remedy:
      'Run Surety with the account that surety kubernetes manifests prints with its Role and RoleBinding.',
  };
}

async function checkDeployment(
  deployment: string,
  { namespace }: CheckedCluster,
  cluster: Cluster,
): Promise<Checked> {
  const path = objectPath('deployments', namespace, deployment);
  const found = await cluster.find<V1Deployment>(path, `get the Deployment ${deployment}`);
  if (!found) {
    return {
      level: 'bad',
      detail: `there is no Deployment ${deployment} in ${namespace}`,
      remedy: 'Correct lane.kubernetes.deployment in surety.yaml, or deploy the service.',
    };
  }
  await checkServices(found, { namespace }, cluster);
  const { readyReplicas = 0 } = found.status ?? {};
  const detail = `the Deployment ${deployment} has ${readyReplicas} ready of ${found.spec?.replicas ?? 1}`;
  if (readyReplicas > 0) return { level: 'ok', detail };
  return { level: 'warn', detail, remedy: `See why: kubectl describe deployment ${deployment}` };
}

async function checkParent(
  { name, namespace, kind = 'Gateway' }: RouteParent,
  wanted: CheckedCluster,
  cluster: Cluster,
): Promise<Checked> {
  const place = namespace ?? wanted.namespace;
  const base = kind === 'Service' ? '/api/v1' : '/apis/gateway.networking.k8s.io/v1';
  const resource = kind === 'Service' ? 'services' : 'gateways';
  const path = `${base}/namespaces/${place}/${resource}/${name}`;
  const found = await cluster
    .find<GatewayObject>(path, `get the ${kind} ${name}`)
    .catch((error) => {
      // Reading a gateway is no right that lanes need.
      if (isFault(error, 'KUBERNETES_FORBIDDEN')) return undefined;
      throw error;
    });
  if (found === undefined)
    return { level: 'warn', detail: `may not read the ${kind} ${name} in ${place}` };
  return describeParent(found, { kind, name, place });
}

export interface GatewayObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Pure. */
export function describeParent(
  found: GatewayObject | null,
  { kind, name, place }: { readonly kind: string; readonly name: string; readonly place: string },
): Checked {
  if (!found) {
    return {
      level: 'bad',
      detail: `there is no ${kind} ${name} in ${place}`,
      remedy:
        'Install the Gateway API with an implementation, or correct kubernetes.routes in surety.yaml.',
    };
  }
  const programmed = found.status?.conditions?.find(({ type }) => type === 'Programmed')?.status;
  if (kind === 'Service' || programmed === 'True')
    return { level: 'ok', detail: `the ${kind} ${name} is there` };
  return {
    level: 'warn',
    detail: `the ${kind} ${name} is not programmed`,
    remedy: 'Look into the log of its implementation.',
  };
}
