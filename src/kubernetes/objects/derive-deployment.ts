import type {
  V1Container,
  V1Deployment,
  V1EnvVar,
  V1OwnerReference,
  V1PodSpec,
  V1ResourceRequirements,
} from '@kubernetes/client-node';
import { fault } from '../../kernel/index.ts';
import { type LanePod, laneLabel, laneLabels, objectName, serviceLabel } from './lane-labels.ts';

/**
 * Never becomes true. A pod that has every label of the baseline's pods is under the same network
 * policies and mesh rules; because it is not ready, no Service sends it the baseline's requests.
 */
export const heldBackGate = 'surety.dev/receives-baseline-traffic';

export interface DerivedDeployment extends LanePod {
  readonly owner: V1OwnerReference;
  /** The container that runs the service; by default the first one. */
  readonly container?: string | undefined;
  /** The image of the changed version; without it, that of the template. */
  readonly image?: string | undefined;
  /** Variables that it gets besides those of the template. */
  readonly environment: Readonly<Record<string, string>>;
  /** A Secret with further variables. */
  readonly secret?: string | undefined;
  /** A ConfigMap with the preload: file names and where each belongs. */
  readonly preload?: { readonly name: string; readonly items: readonly PreloadItem[] } | undefined;
}

export interface PreloadItem {
  readonly key: string;
  readonly path: string;
}

export const preloadDirectory = '/surety/preload';

/** For a template that says nothing: an unbounded candidate could starve the shared cluster. */
const defaultResources = {
  requests: { cpu: '50m', memory: '64Mi' },
  limits: { memory: '512Mi' },
} as const;

/** The Deployment of a candidate or control: the template's, with as little changed as possible. */
export function deriveDeployment(template: V1Deployment, request: DerivedDeployment): V1Deployment {
  const { spec } = template;
  const labels = laneLabels(request);
  const selector = { [laneLabel]: request.lane, [serviceLabel]: request.service };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: objectName(request), labels, ownerReferences: [request.owner] },
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: selector },
      template: {
        metadata: {
          labels: { ...spec?.template.metadata?.labels, ...labels },
          annotations: { ...spec?.template.metadata?.annotations },
        },
        spec: derivePodSpec(spec?.template.spec, template, request),
      },
    },
  };
}

function derivePodSpec(
  pod: V1PodSpec | undefined,
  template: V1Deployment,
  request: DerivedDeployment,
): V1PodSpec {
  const containers = pod?.containers ?? [];
  const name = request.container ?? containers[0]?.name;
  if (!pod || !containers.some((one) => one.name === name)) {
    const deployment = template.metadata?.name ?? '';
    throw fault('KUBERNETES_CONTAINER_UNKNOWN', {
      deployment,
      container: name ?? 'none',
      known: containers.map((one) => one.name).join(', ') || 'none',
    });
  }
  return {
    ...pod,
    readinessGates: [...(pod.readinessGates ?? []), { conditionType: heldBackGate }],
    containers: containers.map((one) =>
      withoutHostPorts(one.name === name ? deriveContainer(one, request) : bounded(one)),
    ),
    volumes: [...(pod.volumes ?? []), ...preloadVolume(request)],
  };
}

function deriveContainer(container: V1Container, request: DerivedDeployment): V1Container {
  const { image, environment, secret, preload } = request;
  const mount = { name: 'surety-preload', mountPath: preloadDirectory, readOnly: true };
  return {
    ...bounded(container),
    ...(image === undefined ? {} : { image }),
    env: mergeVariables(container.env ?? [], environment),
    envFrom: [...(container.envFrom ?? []), ...(secret ? [{ secretRef: { name: secret } }] : [])],
    volumeMounts: [...(container.volumeMounts ?? []), ...(preload ? [mount] : [])],
  };
}

/** A variable of the lane replaces the template's, wherever that took its value from. */
function mergeVariables(
  own: readonly V1EnvVar[],
  environment: Readonly<Record<string, string>>,
): V1EnvVar[] {
  const kept = own.filter(({ name }) => !Object.hasOwn(environment, name));
  // `$(NAME)` would be expanded by Kubernetes.
  const added = Object.entries(environment).map(([name, value]) => ({
    name,
    value: value.replaceAll('$(', () => '$$('),
  }));
  return [...kept, ...added];
}

function bounded(container: V1Container): V1Container {
  const { requests, limits, ...rest }: V1ResourceRequirements = container.resources ?? {};
  const given = { requests: requests ?? {}, limits: limits ?? {} };
  return {
    ...container,
    resources: {
      ...rest,
      requests: { ...defaultResources.requests, ...pickLimits(given.limits), ...given.requests },
      limits: { ...defaultResources.limits, ...given.limits },
    },
  };
}

/** A request must not be above its limit; Kubernetes takes the limit where no request is given. */
function pickLimits(limits: Readonly<Record<string, string>>): Record<string, string> {
  const known = Object.entries(limits).filter(([name]) => name === 'cpu' || name === 'memory');
  return Object.fromEntries(known);
}

/** A port of the node can be taken only once, and the baseline has it. */
function withoutHostPorts(container: V1Container): V1Container {
  if (!container.ports) return container;
  return { ...container, ports: container.ports.map(({ hostPort: _, ...port }) => port) };
}

function preloadVolume({ preload }: DerivedDeployment): NonNullable<V1PodSpec['volumes']> {
  if (!preload) return [];
  const items = preload.items.map(({ key, path }) => ({ key, path }));
  return [{ name: 'surety-preload', configMap: { name: preload.name, items } }];
}
