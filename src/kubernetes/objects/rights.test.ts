import { expect, test } from 'vitest';
import { daemonManifests } from '../manifests/daemon-manifests.ts';
import { accessReviews, laneRights, routeRights } from './rights.ts';

const options = { namespace: 'shop', daemonNamespace: 'surety', account: 'surety' };

test('an access review asks for each verb of each right, subresources included', () => {
  const reviews = accessReviews(laneRights, 'shop');
  expect(reviews).toContainEqual({
    right: 'get pods/log',
    purpose: 'reads their logs',
    attributes: { namespace: 'shop', group: '', resource: 'pods', subresource: 'log', verb: 'get' },
  });
  expect(reviews).toHaveLength(laneRights.flatMap(({ verbs }) => verbs).length);
});

test('the Role has exactly the rights of lanes, those of routes only where there are gateways', () => {
  const rulesOf = (hasRoutes: boolean): unknown =>
    daemonManifests({ ...options, hasRoutes }).flatMap((one) => ('rules' in one ? one.rules : []));
  expect(rulesOf(false)).toHaveLength(laneRights.length);
  expect(rulesOf(true)).toHaveLength(laneRights.length + routeRights.length);
});

test('no right reads a Secret, reaches beyond the namespace or is a wildcard', () => {
  const rights = [...laneRights, ...routeRights];
  expect(rights.find(({ resource }) => resource === 'secrets')?.verbs).toEqual([
    'create',
    'delete',
  ]);
  expect(JSON.stringify(rights)).not.toContain('*');
  const kinds = daemonManifests({ ...options, hasRoutes: true }).map(
    (one) => 'kind' in one && one.kind,
  );
  expect(kinds).toEqual(['ServiceAccount', 'Role', 'RoleBinding']);
});
