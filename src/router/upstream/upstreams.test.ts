import { describe, expect, test } from 'vitest';
import { routerLimits } from '../limits.ts';
import type { Route } from '../routing/route.ts';
import { InstanceConnections } from './upstreams.ts';

const route = (more: Partial<Route>): Route => ({
  key: 'k1',
  lane: 'lane_1',
  from: null,
  to: 'edge',
  host: '127.0.0.1',
  port: 1,
  instance: 'baseline',
  kind: 'baseline',
  scheme: 'http',
  speaks: null,
  isIngress: false,
  recovered: false,
  lacksKey: false,
  ...more,
});

describe('upstream connections', () => {
  test('are shared by requests to the same instance at the same address', () => {
    const upstreams = new InstanceConnections();
    const one = upstreams.http1(route({}));
    expect(upstreams.http1(route({ key: 'k2', to: 'front' }))).toBe(one);
    for (const more of [
      { port: 2 },
      { host: '127.0.0.2' },
      { scheme: 'https' as const },
      { instance: 'edge/lane_1/a' },
    ]) {
      expect(upstreams.http1(route(more))).not.toBe(one);
    }
    upstreams.close();
  });

  test('to candidates are closed when no lane has the candidate, and others stay open', () => {
    const upstreams = new InstanceConnections();
    const candidates = ['a', 'b'].map((instance) => route({ instance }));
    const [one, two] = candidates.map((candidate) => upstreams.http1(candidate));
    const baseline = upstreams.http1(route({}));
    const lane = { lane: 'lane_1', overrides: { edge: { port: 1, instance: 'b' } } };
    upstreams.keep({ ingress: '', services: {}, lanes: { k1: lane } });
    expect(upstreams.http1(candidates[0] as Route)).not.toBe(one);
    expect(upstreams.http1(candidates[1] as Route)).toBe(two);
    expect(upstreams.http1(route({}))).toBe(baseline);
    upstreams.close();
  });

  test('to third parties are closed when there are too many', () => {
    const upstreams = new InstanceConnections();
    const first = upstreams.http1(route({ host: 'h0', instance: 'external', kind: 'external' }));
    const open = (n: number) =>
      upstreams.http1(route({ host: `h${n}`, instance: 'external', kind: 'external' }));
    const baseline = upstreams.http1(route({}));
    for (let n = 1; n < routerLimits.routerUpstreamsMax - 1; n++) open(n);
    expect(open(0)).toBe(first);
    open(routerLimits.routerUpstreamsMax);
    expect(open(0)).not.toBe(first);
    expect(upstreams.http1(route({}))).toBe(baseline);
    upstreams.close();
  });
});
