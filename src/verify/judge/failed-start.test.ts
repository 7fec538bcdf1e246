import { describe, expect, test } from 'vitest';
import { fault } from '../../kernel/index.ts';
import type { Host, Lane } from '../../lanes/index.ts';
import { failedStart, findDeaths, findEndedLanes, notStarted } from './failed-start.ts';

const values = {
  service: 'orders',
  reason: 'it ended with code 1',
  log: 'x',
  lines: '',
  advice: '',
};

describe('a failed start', () => {
  test('names the service, the reason and the last output', () => {
    const lines = ['ECONNREFUSED'];
    const error = fault('SERVICE_UNHEALTHY', values).with({ ...values, lines });
    const failed = { service: 'orders', reason: 'it ended with code 1', lines };
    expect(failedStart(error)).toEqual(failed);
    expect(notStarted(failed)).toMatchObject({
      class: 'start',
      what: 'not-started',
      service: 'orders',
      after: 'it ended with code 1',
      examples: { after: lines },
      severity: 'fail',
    });
  });

  test.each([
    ['another fault', fault('LANE_CLOSED', { lane: 'lane_1' }).with({ ...values })],
    ['a fault without a service', fault('SERVICE_UNHEALTHY', values)],
    ['an error that is not a fault', new Error('no')],
  ])('is not %s', (_, error) => {
    expect(failedStart(error)).toBeNull();
  });
});

type States = Awaited<ReturnType<Host['states']>>;
type InstanceState = States extends ReadonlyMap<string, infer State> ? State : never;

const laneOf = (...names: string[]): Lane =>
  ({ candidates: names.map((name) => ({ service: name.split('.')[1], name })) }) as never;
const hostOf = (states: Record<string, Partial<InstanceState>>) => ({
  states: async () => new Map(Object.entries(states) as [string, InstanceState][]),
  readLog: async (log: string) => ({ lines: [`last words of ${log}`], next: 0 }),
});

describe('a candidate that died', () => {
  const ended = { state: 'ended', ended: 'it used more memory than its limit' } as const;

  test('is a difference with how it ended', async () => {
    const pair = { control: laneOf(), candidate: laneOf('b.pricing', 'b.orders') };
    const host = hostOf({ 'b.pricing': ended, 'b.orders': { state: 'running' } });
    const found = await findDeaths(pair, host);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      what: 'died',
      service: 'pricing',
      after: ended.ended,
      examples: { after: ['last words of b.pricing'] },
    });
  });

  test('is no difference if the control died as well', async () => {
    const host = hostOf({ 'a.pricing': ended, 'b.pricing': ended });
    const pair = { control: laneOf('a.pricing'), candidate: laneOf('b.pricing') };
    expect(await findDeaths(pair, host)).toEqual([]);
  });

  test.each([
    [
      'ended with its expired lane',
      { 'b.pricing': { state: 'ended', ended: 'its time was over' } },
    ],
    ['is unknown since its lane expired', {}],
  ] as const)('is not attributed to the change when it %s', async (_, states) => {
    const host = hostOf({ 'a.pricing': { state: 'running' }, ...states });
    const candidate = { ...laneOf('b.pricing'), lane: 'lane_b' };
    const pair = { control: laneOf('a.pricing'), candidate };
    expect(await findDeaths(pair, host)).toEqual([]);
    expect(await findEndedLanes(pair, host)).toEqual(['lane lane_b expired before the run ended']);
  });

  test('does not mean that its lane expired', async () => {
    const host = hostOf({ 'a.pricing': { state: 'running' }, 'b.pricing': ended });
    const pair = { control: laneOf('a.pricing'), candidate: laneOf('b.pricing') };
    expect(await findEndedLanes(pair, host)).toEqual([]);
  });
});
