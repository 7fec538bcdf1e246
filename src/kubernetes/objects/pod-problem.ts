import type { CoreV1Event, V1ContainerStatus, V1Deployment, V1Pod } from '@kubernetes/client-node';

/** Why a pod does not run as it should, and what somebody can do about it. */
export interface PodProblem {
  readonly kind: PodProblemKind;
  readonly reason: string;
  readonly advice: string;
  /** Waiting does not help. */
  readonly isFinal: boolean;
}

export type PodProblemKind =
  | 'out-of-memory'
  | 'image'
  | 'configuration'
  | 'unschedulable'
  | 'crashed'
  | 'evicted'
  | 'failed-probe'
  | 'refused'
  | 'deleted';

/** What is wrong with a pod now; undefined while it starts or runs as it should. */
export function podProblem(
  pod: V1Pod,
  events: readonly Pick<CoreV1Event, 'reason' | 'message'>[] = [],
): PodProblem | undefined {
  const { status, metadata } = pod;
  if (metadata?.deletionTimestamp) return deleted();
  if (status?.reason === 'Evicted') return evicted(status.message ?? '');
  const containers = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ];
  for (const one of containers) {
    const problem = containerProblem(one, pod);
    if (problem) return problem;
  }
  return unschedulable(pod) ?? failedProbe(containers, events);
}

function containerProblem(status: V1ContainerStatus, pod: V1Pod): PodProblem | undefined {
  const { name, state, lastState } = status;
  const waiting = state?.waiting;
  if (waiting && imageReasons.has(waiting.reason ?? '')) {
    return imageProblem(name, status.image, `${waiting.reason}: ${waiting.message ?? ''}`);
  }
  if (waiting && configurationReasons.has(waiting.reason ?? '')) {
    return configurationProblem(name, `${waiting.reason}: ${waiting.message ?? ''}`);
  }
  const isInit = pod.status?.initContainerStatuses?.some((one) => one.name === name) ?? false;
  const ended = state?.terminated ?? lastState?.terminated;
  if (!ended || (isInit && ended.exitCode === 0)) return undefined;
  // With very little memory, not even the program that starts the container survives.
  const isOutOfMemory = ended.reason === 'OOMKilled' || /OOM-killed/.test(ended.message ?? '');
  if (isOutOfMemory) return outOfMemory(name, memoryLimit(pod, name));
  return crashed(name, ended.exitCode, ended.signal);
}

const imageReasons = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
]);
const configurationReasons = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);

function memoryLimit({ spec }: V1Pod, name: string): string {
  const container = spec?.containers.find((one) => one.name === name);
  return container?.resources?.limits?.memory ?? 'that of the node';
}

function outOfMemory(name: string, limit: string): PodProblem {
  return {
    kind: 'out-of-memory',
    reason: `OOMKilled: the container ${name} needed more memory than its limit, ${limit}`,
    advice: `Raise resources.limits.memory of ${name} above ${limit}, or let it use less memory.`,
    isFinal: true,
  };
}

function imageProblem(name: string, image: string, reason: string): PodProblem {
  return {
    kind: 'image',
    reason: `the image ${image} of the container ${name} cannot be pulled: ${reason}`,
    advice:
      'Push the image where the nodes pull from, correct its name, or give the service account an imagePullSecret.',
    isFinal: true,
  };
}

function configurationProblem(name: string, reason: string): PodProblem {
  return {
    kind: 'configuration',
    reason: `the container ${name} cannot be created: ${reason}`,
    advice: 'Correct what the message names: a missing Secret or ConfigMap, a command, a volume.',
    isFinal: true,
  };
}

function crashed(name: string, code: number, signal: number | undefined): PodProblem {
  const how = signal ? `signal ${signal}` : `code ${code}`;
  return {
    kind: 'crashed',
    reason: `the container ${name} ended with ${how}`,
    advice: 'The last lines of its log are above.',
    isFinal: true,
  };
}

function unschedulable({ status }: V1Pod): PodProblem | undefined {
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (condition?.status !== 'False' || condition.reason !== 'Unschedulable') return undefined;
  return {
    kind: 'unschedulable',
    reason: `no node can take the pod: ${condition.message ?? 'Unschedulable'}`,
    advice: 'Lower its requests, its node selector or affinity, or add nodes to the cluster.',
    // A node may join, or another pod end.
    isFinal: false,
  };
}

function failedProbe(
  containers: readonly V1ContainerStatus[],
  events: readonly Pick<CoreV1Event, 'reason' | 'message'>[],
): PodProblem | undefined {
  const unready = containers.find(({ ready, state }) => !ready && state?.running);
  const probe = events.findLast(({ reason }) => reason === 'Unhealthy');
  if (!unready || !probe) return undefined;
  return {
    kind: 'failed-probe',
    reason: `a probe of the container ${unready.name} fails: ${probe.message ?? ''}`,
    advice: 'Let the service answer its probe, or correct the probe in the manifest.',
    isFinal: false,
  };
}

function evicted(message: string): PodProblem {
  return {
    kind: 'evicted',
    reason: `the node evicted the pod: ${message}`,
    advice: 'Give it requests that fit what it uses, or give the node more memory or disk.',
    isFinal: true,
  };
}

function deleted(): PodProblem {
  return {
    kind: 'deleted',
    reason: 'somebody deleted the pod',
    advice: 'Open the lane again.',
    isFinal: true,
  };
}

/** Its containers answer their probes; by its readiness gate the pod itself never becomes ready. */
export function areContainersReady({ status }: V1Pod): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'ContainersReady');
  return condition?.status === 'True';
}

/** Why a Deployment gets no pod: a quota, a webhook or a policy of the cluster refuses it. */
export function deploymentProblem({ status }: V1Deployment): PodProblem | undefined {
  const failure = status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  if (failure?.status !== 'True') return undefined;
  return {
    kind: 'refused',
    reason: `the cluster refuses the pod: ${failure.message ?? failure.reason ?? ''}`,
    advice: 'Close other lanes or raise the quota; otherwise correct what the message names.',
    isFinal: true,
  };
}
