import { describe, expect, test } from 'vitest';
import type { Hop, Reach } from '../../lanes/index.ts';
import type { Difference } from '../compare/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import type { SuiteRun } from '../suites/run-suite.ts';
import { givenScenarios } from '../traffic/index.ts';
import { type Besides, doubtAbout } from './doubt.ts';

const instance = 'pricing/lane_1/a';
const run = (result: SuiteRun['result']): SuiteRun => ({
  suite: 'trade-flow',
  result,
  checks: [],
  reason: null,
});
const found = (more: Partial<Difference>): Difference =>
  ({ class: 'status', service: 'pricing', ...more }) as Difference;
const reach = (more: Partial<Reach> = {}): Reach => ({
  proven: false,
  reason: 'pricing served 1 of 2 requests sent to it',
  candidates: [{ service: 'pricing', instance, sent: 2, served: 1 }],
  hops: 2,
  silent: [],
  lost: [],
  ...more,
});
const served = hop({ to: 'pricing', instance, served: instance, answered: true });
const unanswered = hop({ to: 'pricing', instance, answered: false, status: 502 });

interface Seen {
  readonly hops?: readonly Hop[];
  readonly differences?: readonly Difference[];
  readonly reach?: Reach;
  readonly candidate?: readonly SuiteRun[];
  readonly control?: readonly SuiteRun[];
  readonly besides?: Besides;
}

const doubt = (seen: Seen): string | null =>
  doubtAbout({
    control: [run('passed')],
    candidate: [run('failed')],
    hops: [served, unanswered],
    differences: [found({})],
    reach: reach(),
    ...seen,
  });

describe('a run whose candidate did not answer', () => {
  test('is judged when that is held against the change', () => {
    expect(doubt({})).toBeNull();
  });

  test('is judged even if some service made no call that it might have made', () => {
    const lost = [{ how: 'silent', by: 'orders', to: 'pricing' } as never];
    expect(doubt({ reach: reach({ lost }) })).toBeNull();
  });

  test.each<[string, Seen]>([
    ['nothing is held against it', { differences: [] }],
    ['only another service is blamed', { differences: [found({ service: 'orders' })] }],
    ['somebody else answered', { hops: [served, { ...unanswered, answered: true }] }],
    ['nothing was sent to it', { reach: reach({ candidates: [] }), hops: [] }],
    [
      'the key got lost as well',
      { reach: reach({ lost: [{ from: 'edge', to: 'orders' } as never] }) },
    ],
  ])('proves nothing when %s', (_, seen) => {
    expect(doubt(seen)).toContain('did not reach');
  });
});

test('a candidate that does not start or live needs no suite to be judged', () => {
  const differences = [found({ class: 'start' })];
  expect(doubt({ differences, candidate: [] })).toBeNull();
  expect(doubt({ differences: [], candidate: [], control: [] })).toContain('no suite was run');
});

describe('without a suite', () => {
  const given = givenScenarios([{ method: 'GET', path: '/prices' }]);
  const recorded = given.map((one) => ({ ...one, name: 'traffic_1' }));
  const sent = (scenarios: Besides['scenarios'], unsent: string[] = []): Seen => ({
    control: [],
    candidate: [],
    differences: [],
    reach: reach({ proven: true }),
    hops: [served],
    besides: { scenarios, unsent },
  });

  test('what clients sent is enough', () => {
    expect(doubt(sent([...recorded, ...given]))).toBeNull();
  });

  test('what somebody made up for it shows what is wrong, and never that nothing is', () => {
    expect(doubt(sent(given))).toContain('only requests that were given');
    expect(doubt({ ...sent(given), differences: [found({})] })).toBeNull();
  });

  test('the test that came with the change is such a thing', () => {
    const own = { ...sent([]), candidate: [run('passed')] };
    expect(doubt(own)).toContain('only the test that came with the change');
    expect(doubt({ ...own, control: [run('passed')] })).toBeNull();
    expect(doubt({ ...own, candidate: [run('failed')] })).toBeNull();
  });

  test.each<[string, Seen, string]>([
    ['none may be sent', sent([{ name: 'traffic_1', requests: [] }]), 'no suite was run: write'],
    ['a route was left out', sent(recorded, ['POST /orders (unsafe)']), 'not POST /orders'],
    ['all are refused', { ...sent(recorded), hops: [{ ...served, status: 401 }] }, 'refused now'],
  ])('recorded requests are not enough where %s', (_, seen, reason) => {
    expect(doubt(seen)).toContain(reason);
  });
});
