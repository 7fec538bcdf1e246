import { expect, test } from 'vitest';
import { kubernetesLimits } from '../limits.ts';
import { isOver } from '../reap-namespaces.ts';
import { changeNamespace } from './change-namespace.ts';

test('the namespace of a change has a purpose, a lifetime and a quota', () => {
  const [namespace, quota] = changeNamespace({ task: '4711', minutes: 30 });
  expect(namespace).toMatchObject({
    kind: 'Namespace',
    metadata: { name: 'agent-task-4711', labels: { purpose: 'agent-validation', ttl: '30m' } },
  });
  expect(quota).toMatchObject({
    kind: 'ResourceQuota',
    metadata: { name: 'agent-validation-quota', namespace: 'agent-task-4711' },
    spec: { hard: { 'requests.cpu': '4', 'requests.memory': '8Gi', pods: '20' } },
  });
});

// proves: kernel.limits
test('a task and a lifetime are refused beyond their limits', () => {
  const longest = kubernetesLimits.taskCharactersMax;
  const minutes = kubernetesLimits.namespaceMinutesMax;
  const of = (task: string, life: number) => () => changeNamespace({ task, minutes: life });
  expect(of('a'.repeat(longest), minutes)).not.toThrow();
  expect(of('a'.repeat(longest + 1), 1)).toThrow(/1 to 52/);
  expect(of('a', minutes + 1)).toThrow(/from 1 to 1440/);
  expect(of('a', 0)).toThrow(/from 1 to 1440/);
  for (const task of ['', 'A', '-a', 'a-', 'a_b', 'a.b']) expect(of(task, 1)).toThrow(/a task has/);
});

test('a namespace is over at the end of its lifetime, and never without a readable one', () => {
  const made = (labels: Record<string, string>, more: object = {}) => ({
    metadata: { creationTimestamp: new Date(1_000_000), labels, ...more },
  });
  const end = 1_000_000 + 30 * 60_000;
  expect(isOver(made({ ttl: '30m' }), end - 1)).toBe(false);
  expect(isOver(made({ ttl: '30m' }), end)).toBe(true);
  expect(isOver(made({ ttl: 'soon' }), end * 9)).toBe(false);
  expect(isOver(made({}), end * 9)).toBe(false);
  expect(isOver(made({ ttl: '30m' }, { deletionTimestamp: new Date(0) }), end)).toBe(false);
});
