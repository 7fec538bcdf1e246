import { describe, expect, test } from 'vitest';
import { baggageMatch, laneRoute, laneService, routeState } from './lane-routes.ts';

const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'surety-x', uid: 'u1' };
const request = {
  lane: 'lane_1',
  service: 'prices',
  owner,
  port: 4401,
  protocol: 'http',
  parents: [{ name: 'public', namespace: 'infra' }],
};

describe('the route of a lane', () => {
  test('leads requests with its key to the Service of its candidate', () => {
    const route = laneRoute({ ...request, header: 'x-lane', hostnames: ['shop.test'] });
    const { name } = laneService(request, 4401, owner).metadata ?? {};
    expect(route.kind).toBe('HTTPRoute');
    expect(route.spec).toEqual({
      parentRefs: [
        { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'public', namespace: 'infra' },
      ],
      hostnames: ['shop.test'],
      rules: [
        {
          matches: [
            { headers: [{ type: 'Exact', name: 'x-lane', value: 'lane_1' }] },
            { headers: [baggageMatch('lane_1')] },
          ],
          backendRefs: [{ name, port: 4401 }],
        },
      ],
    });
  });

  test('is a GRPCRoute for gRPC, and names a Service in a mesh', () => {
    const parents = [{ name: 'prices', kind: 'Service' }] as const;
    const route = laneRoute({ ...request, protocol: 'grpc', parents });
    expect(route.kind).toBe('GRPCRoute');
    expect(route.spec.parentRefs).toEqual([{ group: '', kind: 'Service', name: 'prices' }]);
  });
});

test('the Service of a candidate takes pods that are never ready', () => {
  expect(laneService(request, 4401, owner).spec).toMatchObject({
    publishNotReadyAddresses: true,
    selector: { 'surety.dev/lane': 'lane_1', 'surety.dev/service': 'prices' },
  });
});

describe('the match of a key in baggage', () => {
  const { value } = baggageMatch('lane_1');
  test.each([
    'surety-lane=lane_1',
    'a=1,surety-lane=lane_1',
    'a=1, surety-lane = lane_1 ;p=1, b=2',
    'surety-lane=lane_1,b=2',
    ' surety-lane=lane_1',
  ])('takes %j, whole, as part of a text and as a member of the list', (header) => {
    expect(header).toMatch(new RegExp(value));
    expect(header).toMatch(new RegExp(`^(?:${value})$`));
    const members = header.split(',');
    expect(members.filter((member) => new RegExp(value).test(member))).toHaveLength(1);
  });

  test.each(['surety-lane=lane_12', 'x-surety-lane=lane_1', 'a=surety-lane=lane_1x', 'a=1'])(
    'does not take %j',
    (header) => {
      expect(header).not.toMatch(new RegExp(value));
    },
  );
});

describe('the status of a route', () => {
  const told = (type: string, status: string, reason = 'r', message = 'm') => ({
    parents: [{ conditions: [{ type, status, reason, message }] }],
  });
  test('is waited for until a gateway writes it', () => {
    expect(routeState(undefined)).toEqual({ state: 'waiting' });
    expect(routeState(told('ResolvedRefs', 'True'))).toEqual({ state: 'waiting' });
    expect(routeState(told('Accepted', 'True'))).toEqual({ state: 'accepted' });
  });

  test('says why a gateway refuses the route', () => {
    const refused = told('Accepted', 'False', 'NotAllowedByListeners', 'no listener takes it');
    expect(routeState(refused)).toEqual({
      state: 'refused',
      reason: 'NotAllowedByListeners: no listener takes it',
    });
  });
});
