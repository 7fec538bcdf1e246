import type { V1Deployment } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import { deriveDeployment, heldBackGate } from './derive-deployment.ts';

const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'surety-x', uid: 'u1' };
const request = { lane: 'lane_1', service: 'prices', owner, environment: {} };

function baseline(container: object = {}, pod: object = {}): V1Deployment {
  return {
    metadata: { name: 'prices', annotations: { 'kubectl.kubernetes.io/last-applied': 'x' } },
    spec: {
      replicas: 5,
      selector: { matchLabels: { app: 'prices' } },
      template: {
        metadata: { labels: { app: 'prices', tier: 'back' }, annotations: { mesh: 'on' } },
        spec: {
          serviceAccountName: 'prices',
          containers: [
            { name: 'main', image: 'prices:1', ...container },
            { name: 'log', image: 'log:1' },
          ],
          ...pod,
        },
      },
    },
  };
}

describe('the Deployment of a candidate', () => {
  const derived = deriveDeployment(baseline(), { ...request, image: 'prices:2' });
  const template = derived.spec?.template;

  test('has one replica, the image of the change, and an owner that ends it', () => {
    expect(derived.spec?.replicas).toBe(1);
    expect(template?.spec?.containers.map(({ image }) => image)).toEqual(['prices:2', 'log:1']);
    expect(derived.metadata?.ownerReferences).toEqual([owner]);
  });

  test('keeps labels, annotations and account, so that the same policies apply to it', () => {
    expect(template?.metadata?.labels).toMatchObject({ app: 'prices', tier: 'back' });
    expect(template?.metadata?.annotations).toEqual({ mesh: 'on' });
    expect(template?.spec?.serviceAccountName).toBe('prices');
  });

  test('is never ready, so that no Service sends it requests of the baseline', () => {
    expect(template?.spec?.readinessGates).toEqual([{ conditionType: heldBackGate }]);
  });

  test('selects only its own pods', () => {
    expect(derived.spec?.selector.matchLabels).toEqual({
      'surety.dev/lane': 'lane_1',
      'surety.dev/service': 'prices',
    });
  });

  test('has requests and limits although the baseline has none', () => {
    expect(template?.spec?.containers[0]?.resources).toEqual({
      requests: { cpu: '50m', memory: '64Mi' },
      limits: { memory: '512Mi' },
    });
  });
});

test('a request is not above the limit that the baseline sets', () => {
  const resources = { limits: { memory: '20Mi' } };
  const derived = deriveDeployment(baseline({ resources }), request);
  expect(derived.spec?.template.spec?.containers[0]?.resources).toEqual({
    requests: { cpu: '50m', memory: '20Mi' },
    limits: { memory: '20Mi' },
  });
});

test('variables of the lane replace those of the baseline, and none is expanded', () => {
  const env = [
    { name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'a' } } },
    { name: 'B', value: 'b' },
  ];
  const environment = { A: 'price $(B)', C: 'c' };
  const derived = deriveDeployment(baseline({ env }), { ...request, environment });
  expect(derived.spec?.template.spec?.containers[0]?.env).toEqual([
    { name: 'B', value: 'b' },
    { name: 'A', value: 'price $$(B)' },
    { name: 'C', value: 'c' },
  ]);
});

test('a port of the node is left to the baseline', () => {
  const ports = [{ containerPort: 80, hostPort: 80 }];
  const derived = deriveDeployment(baseline({ ports }), request);
  expect(derived.spec?.template.spec?.containers[0]?.ports).toEqual([{ containerPort: 80 }]);
});

test('the preload is mounted beside the volumes of the baseline', () => {
  const preload = { name: 'surety-x-preload', items: [{ key: 'a__b.cjs', path: 'a/b.cjs' }] };
  const pod = { volumes: [{ name: 'data', emptyDir: {} }] };
  const derived = deriveDeployment(baseline({}, pod), { ...request, preload });
  const { volumes, containers } = derived.spec?.template.spec ?? {};
  expect(volumes).toEqual([
    { name: 'data', emptyDir: {} },
    { name: 'surety-preload', configMap: preload },
  ]);
  expect(containers?.[0]?.volumeMounts).toEqual([
    { name: 'surety-preload', mountPath: '/surety/preload', readOnly: true },
  ]);
  expect(containers?.[1]?.volumeMounts).toBeUndefined();
});

test('an unknown container is named together with those that exist', () => {
  expect(() => deriveDeployment(baseline(), { ...request, container: 'web' })).toThrow(
    expect.objectContaining({
      code: 'KUBERNETES_CONTAINER_UNKNOWN',
      remedy: expect.stringContaining('main, log'),
    }),
  );
});
