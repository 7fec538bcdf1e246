import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { areContainersReady, deploymentProblem, podProblem } from './pod-problem.ts';

function pod(status: Partial<V1ContainerStatus>, more: object = {}): V1Pod {
  const container = { name: 'main', image: 'prices:2', imageID: '', ready: false, restartCount: 0 };
  return {
    spec: { containers: [{ name: 'main', resources: { limits: { memory: '20Mi' } } }] },
    status: { containerStatuses: [{ ...container, ...status }], ...more },
  };
}

test.each([
  [
    'a container that needed too much memory',
    pod({ state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }),
    { kind: 'out-of-memory', reason: expect.stringContaining('20Mi'), isFinal: true },
  ],
  [
    'one that was started again after it needed too much memory',
    pod({
      state: { running: {} },
      ready: true,
      lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
    }),
    { kind: 'out-of-memory', advice: expect.stringContaining('resources.limits.memory') },
  ],
  [
    'a container whose start already needed too much memory',
    pod({
      state: {
        terminated: {
          exitCode: 128,
          reason: 'StartError',
          message: 'runc create failed: container init was OOM-killed (memory limit too low?)',
        },
      },
    }),
    { kind: 'out-of-memory', isFinal: true },
  ],
  [
    'an image that cannot be pulled',
    pod({ state: { waiting: { reason: 'ImagePullBackOff', message: 'not found' } } }),
    { kind: 'image', reason: expect.stringMatching(/prices:2 .*ImagePullBackOff: not found/) },
  ],
  [
    'a missing Secret',
    pod({
      state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "a" not found' } },
    }),
    { kind: 'configuration', reason: expect.stringContaining('secret "a" not found') },
  ],
  [
    'a crash',
    pod({ state: { terminated: { exitCode: 3, reason: 'Error' } } }),
    { kind: 'crashed', reason: 'the container main ended with code 3' },
  ],
  [
    'a pod that no node can take',
    {
      status: {
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' },
        ],
      },
    },
    { kind: 'unschedulable', reason: expect.stringContaining('0/1 nodes'), isFinal: false },
  ],
  [
    'an evicted pod',
    { status: { reason: 'Evicted', message: 'The node was low on resource: memory.' } },
    { kind: 'evicted', isFinal: true },
  ],
  [
    'a pod that somebody deleted',
    { metadata: { deletionTimestamp: new Date(0) } },
    { kind: 'deleted', isFinal: true },
  ],
] as const)('%s is a problem with a remedy', (_, given, expected) => {
  expect(podProblem(given as V1Pod)).toMatchObject({
    advice: expect.stringMatching(/\w/),
    ...expected,
  });
});

test('a probe that fails is a problem only while the container is not ready', () => {
  const events = [{ reason: 'Unhealthy', message: 'Readiness probe failed: 503' }];
  expect(podProblem(pod({ state: { running: {} } }), events)).toMatchObject({
    kind: 'failed-probe',
    reason: expect.stringContaining('503'),
    isFinal: false,
  });
  expect(podProblem(pod({ state: { running: {} }, ready: true }), events)).toBeUndefined();
});

test('a pod that is being started or runs has no problem', () => {
  expect(podProblem({})).toBeUndefined();
  expect(podProblem(pod({ state: { waiting: { reason: 'ContainerCreating' } } }))).toBeUndefined();
  expect(podProblem(pod({ state: { running: {} }, ready: true }))).toBeUndefined();
});

test('containers are ready although the pod never is', () => {
  const conditions = [
    { type: 'Ready', status: 'False' },
    { type: 'ContainersReady', status: 'True' },
  ];
  expect(areContainersReady({ status: { conditions } })).toBe(true);
  expect(areContainersReady({ status: { conditions: conditions.slice(0, 1) } })).toBe(false);
});

test('a Deployment whose pod a quota refuses says so', () => {
  const told = (status: string) => ({
    status: { conditions: [{ type: 'ReplicaFailure', status, message: 'exceeded quota: q' }] },
  });
  expect(deploymentProblem(told('True'))).toMatchObject({
    kind: 'refused',
    reason: 'the cluster refuses the pod: exceeded quota: q',
    isFinal: true,
  });
  expect(deploymentProblem(told('False'))).toBeUndefined();
  expect(deploymentProblem({})).toBeUndefined();
});
