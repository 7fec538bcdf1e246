import { expect, test } from 'vitest';
import { refusal } from './refusal.ts';

const status = (message: string): string => JSON.stringify({ kind: 'Status', message });

test.each([
  [403, status('deployments.apps is forbidden: User "a" cannot create'), 'KUBERNETES_FORBIDDEN'],
  [401, status('Unauthorized'), 'KUBERNETES_FORBIDDEN'],
  [403, status('pods "a" is forbidden: exceeded quota: q, requested: pods=1'), 'KUBERNETES_QUOTA'],
  [403, status('forbidden: failed quota: q: must specify requests.cpu'), 'KUBERNETES_QUOTA'],
  [400, status('admission webhook "w" denied the request: no'), 'KUBERNETES_REFUSED'],
  [422, status('Deployment is invalid'), 'KUBERNETES_REFUSED'],
  [500, 'not JSON', 'KUBERNETES_REFUSED'],
])('status %i with %s becomes %s', (code, body, expected) => {
  expect(refusal(code, body, 'create a').code).toBe(expected);
});

test('a refusal repeats what the cluster said', () => {
  const fault = refusal(400, status('admission webhook "w" denied the request: no'), 'create a');
  expect(fault.message).toContain('admission webhook "w" denied the request: no');
  expect(refusal(502, '', 'create a').message).toContain('status 502');
});
