import type { V1Job, V1OwnerReference } from '@kubernetes/client-node';
import { fault } from '../../kernel/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { collectionPath, objectPath } from '../cluster/paths.ts';
import type { DerivedDeployment } from '../objects/derive-deployment.ts';
import { laneLabel, laneLabels, laneName, objectName } from '../objects/lane-labels.ts';
import {
  type LaneRoute,
  laneRoute,
  laneService,
  type RouteStatus,
  routeState,
} from '../objects/lane-routes.ts';
import { laneTimer, ownedBy } from '../objects/lane-timer.ts';
import { preloadFiles, preloadMap, preloadName } from '../objects/preload-files.ts';
import type { PodRun } from './pod-run.ts';

/** The Job that ends the lane on time; the instances of a lane share it. */
export async function ensureTimer(
  { lane, namespace, endsAt }: Pick<PodRun, 'lane' | 'namespace' | 'endsAt'>,
  now: number,
  cluster: Cluster,
): Promise<V1OwnerReference> {
  const seconds = Math.max(1, Math.ceil((endsAt - now) / 1_000));
  const job = await cluster.create<V1Job>(
    collectionPath('jobs', namespace),
    laneTimer(lane, seconds),
  );
  if (job.metadata?.labels?.[laneLabel] !== lane || job.metadata?.deletionTimestamp) {
    const what = `create the timer ${laneName(lane)}`;
    throw fault('KUBERNETES_REFUSED', { what, reason: 'a Job of that name ends just now' });
  }
  return ownedBy(job);
}

/** A lane that lives longer: the deadline counts from the start of the Job. */
export async function moveTimer(
  { lane, namespace, endsAt }: Pick<PodRun, 'lane' | 'namespace' | 'endsAt'>,
  cluster: Cluster,
): Promise<void> {
  const path = objectPath('jobs', namespace, laneName(lane));
  const job = await cluster.find<V1Job>(path, 'get the timer of a lane');
  const startedAt = job?.status?.startTime ?? job?.metadata?.creationTimestamp;
  if (!startedAt) return;
  const seconds = Math.max(1, Math.ceil((endsAt - new Date(startedAt).getTime()) / 1_000));
  await cluster.call(path, {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { spec: { activeDeadlineSeconds: seconds } },
    what: `move the end of lane ${lane}`,
  });
}

/** The preload is the same for all instances of a lane. */
export async function ensurePreload(
  { lane, namespace, preloadDirectory }: PodRun,
  owner: V1OwnerReference,
  cluster: Cluster,
): Promise<Pick<DerivedDeployment, 'preload'>> {
  if (preloadDirectory === undefined) return {};
  const { items, data } = preloadFiles(preloadDirectory);
  await cluster.create(collectionPath('configmaps', namespace), preloadMap(lane, owner, data));
  return { preload: { name: preloadName(lane), items } };
}

/** Variables that others should not read in the Deployment. */
export async function createSecret(
  run: PodRun,
  owner: V1OwnerReference,
  {
    stringData,
    cluster,
  }: { readonly stringData: Readonly<Record<string, string>>; readonly cluster: Cluster },
): Promise<Pick<DerivedDeployment, 'secret'>> {
  if (Object.keys(stringData).length === 0) return {};
  const name = objectName(run);
  await cluster.call(collectionPath('secrets', run.namespace), {
    method: 'POST',
    what: `create the Secret ${name}`,
    body: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, labels: laneLabels(run), ownerReferences: [owner] },
      stringData,
    },
  });
  return { secret: name };
}

/** A route that leads to the candidate: only where surety.yaml names gateways. */
export async function createRoute(
  run: PodRun,
  owner: V1OwnerReference,
  cluster: Cluster,
): Promise<LaneRoute | null> {
  const { namespace, port, routes: parents, protocol, header, hostnames = [] } = run;
  if (parents.length === 0) return null;
  await cluster.create(collectionPath('services', namespace), laneService(run, port, owner));
  const route = laneRoute({ ...run, owner, port, protocol, parents, header, hostnames });
  await cluster.create(collectionPath(routeCollection(route), namespace), route);
  return route;
}

export function routeCollection({ kind }: Pick<LaneRoute, 'kind'>): 'httproutes' | 'grpcroutes' {
  return kind === 'GRPCRoute' ? 'grpcroutes' : 'httproutes';
}

/** True once a gateway says so; false while none has said anything. */
export async function isRouteAccepted(
  route: LaneRoute,
  run: PodRun,
  cluster: Cluster,
): Promise<boolean> {
  const path = objectPath(routeCollection(route), run.namespace, route.metadata.name);
  const found = await cluster.find<{ status?: RouteStatus }>(path, 'get a route');
  const told = routeState(found?.status);
  if (told.state !== 'refused') return told.state === 'accepted';
  throw fault('KUBERNETES_ROUTE_REFUSED', { service: run.service, reason: told.reason });
}

/** Everything of one instance, all at once. */
export async function removeInstance(run: PodRun, cluster: Cluster): Promise<void> {
  const name = objectName(run);
  const kinds = ['deployments', 'secrets'] as const;
  const routed =
    run.routes.length > 0
      ? ([run.protocol === 'grpc' ? 'grpcroutes' : 'httproutes', 'services'] as const)
      : [];
  await Promise.allSettled(
    [...routed, ...kinds].map((kind) => cluster.remove(objectPath(kind, run.namespace, name))),
  );
}
