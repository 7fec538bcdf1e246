import { describe, expect, test } from 'vitest';
import type { Reach } from '../../lanes/index.ts';
import type { SuiteRun } from '../api-schema.ts';
import type { Difference } from '../compare/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { givenScenarios, type Scenario } from '../traffic/index.ts';
import { doubtAbout } from './doubt.ts';
import type { Evidence } from './evidence.ts';

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

type Observed = Partial<Evidence>;

const doubt = (seen: Observed): string | null =>
  doubtAbout({
    control: [run('passed')],
    candidate: [run('failed')],
    hops: [served, unanswered],
    differences: [found({})],
    reach: reach(),
    ...seen,
  });

describe('a run whose candidate did not answer', () => {
  test('is judged when that is a finding', () => {
    expect(doubt({})).toBeNull();
  });

  test('is judged even if a service made no call that it might have made', () => {
    const lost = [{ how: 'silent', by: 'orders', to: 'pricing' } as never];
    expect(doubt({ reach: reach({ lost }) })).toBeNull();
  });

  test.each<[string, Observed]>([
    ['there is no finding', { differences: [] }],
    ['the finding is about another service', { differences: [found({ service: 'orders' })] }],
    ['another service answered', { hops: [served, { ...unanswered, answered: true }] }],
    ['nothing was sent to it', { reach: reach({ candidates: [] }), hops: [] }],
    [
      'a hop also lost the key',
      { reach: reach({ lost: [{ from: 'edge', to: 'orders' } as never] }) },
    ],
  ])('proves nothing when %s', (_, seen) => {
    expect(doubt(seen)).toContain('did not reach');
  });
});

test('a candidate that does not start is judged without a suite', () => {
  const differences = [found({ class: 'start' })];
  expect(doubt({ differences, candidate: [] })).toBeNull();
  expect(doubt({ differences: [], candidate: [], control: [] })).toContain('no suite was run');
});

describe('without a suite', () => {
  const given = givenScenarios([{ method: 'GET', path: '/prices' }]);
  const recorded = given.map((one) => ({ ...one, name: 'traffic_1' }));
  const sent = (scenarios: readonly Scenario[], unsent: string[] = []): Observed => ({
    control: [],
    candidate: [],
    differences: [],
    reach: reach({ proven: true }),
    hops: [served],
    extraTraffic: { scenarios, unsent },
  });

  test('recorded requests of clients are enough', () => {
    expect(doubt(sent([...recorded, ...given]))).toBeNull();
  });

  test('requests given with the change can fail it, but not pass it', () => {
    expect(doubt(sent(given))).toContain('only requests given with the change');
    expect(doubt({ ...sent(given), differences: [found({})] })).toBeNull();
  });

  test('the test of the change alone can not pass it', () => {
    const own = { ...sent([]), candidate: [run('passed')] };
    expect(doubt(own)).toContain('only the test of the change');
    expect(doubt({ ...own, control: [run('passed')] })).toBeNull();
    expect(doubt({ ...own, candidate: [run('failed')] })).toBeNull();
  });

  test.each<[string, Observed, string]>([
    ['none may be sent', sent([{ name: 'traffic_1', requests: [] }]), 'no suite was run: write'],
    ['a route was left out', sent(recorded, ['POST /orders (unsafe)']), 'not sent: POST /orders'],
    ['all are refused', { ...sent(recorded), hops: [{ ...served, status: 401 }] }, 'refused now'],
  ])('recorded requests are not enough where %s', (_, seen, reason) => {
    expect(doubt(seen)).toContain(reason);
  });
});
