import { describe, expect, test } from 'vitest';
import { sharedLimits } from '../../kernel/index.ts';
import { routerLimits } from '../limits.ts';
import { CapturedBody } from './captured-body.ts';
import { type HopDraft, Hops } from './hops.ts';

const body = (bytes: number, type = 'application/json'): CapturedBody => {
  const captured = new CapturedBody(type);
  for (let left = bytes; left > 0; left -= sharedLimits.hopBodyBytesMax) {
    captured.add(Buffer.alloc(Math.min(left, sharedLimits.hopBodyBytesMax)));
  }
  return captured;
};

const draft = (key: string, more: Partial<HopDraft> = {}): HopDraft => ({
  at: 0,
  startedAt: 0,
  key,
  requestId: null,
  traceparent: undefined,
  from: null,
  to: 'edge',
  instance: 'baseline',
  served: null,
  answered: true,
  recovered: false,
  escaped: false,
  protocol: 'http1',
  method: 'GET',
  path: '',
  status: 200,
  durationMs: 1,
  request: body(0),
  response: body(0),
  ...more,
});

/** Everything of a key, page by page. */
function all(hops: Hops, key: string): number[] {
  const numbers: number[] = [];
  for (;;) {
    const page = hops.after(key, numbers.at(-1) ?? 0);
    if (page.length === 0) return numbers;
    numbers.push(...page.map(({ n }) => n));
  }
}

describe('hops', () => {
  test('are kept per lane and in order, and can be read from any position', () => {
    const hops = new Hops();
    for (const key of ['a', 'b', 'a', 'a']) hops.record(draft(key));
    expect(all(hops, 'a')).toEqual([1, 3, 4]);
    expect(hops.after('a', 3).map(({ n }) => n)).toEqual([4]);
    expect(hops.after('a', 4)).toEqual([]);
    expect(hops.after('nobody', 0)).toEqual([]);
  });

  test('keep counting after they were deleted', () => {
    const hops = new Hops();
    hops.record(draft('a'));
    hops.forget('a');
    expect(all(hops, 'a')).toEqual([]);
    hops.record(draft('a'));
    expect(all(hops, 'a')).toEqual([2]);
  });

  test('are kept up to a number per lane', () => {
    const hops = new Hops();
    hops.record(draft('other'));
    for (let n = 0; n < routerLimits.laneHopsMax; n++) hops.record(draft('a'));
    expect(all(hops, 'a')).toHaveLength(routerLimits.laneHopsMax);
    expect(all(hops, 'a').at(0)).toBe(2);
    hops.record(draft('a'));
    expect(all(hops, 'a')).toHaveLength(routerLimits.laneHopsMax);
    expect(all(hops, 'a').at(0)).toBe(3);
    expect(all(hops, 'other')).toEqual([1]);
  });

  test('are kept up to a size per lane', () => {
    const hops = new Hops();
    const path = 'x'.repeat(1_000_000 - 512);
    const fitting = Math.floor(routerLimits.laneHopBytesMax / 1_000_000);
    for (let n = 0; n < fitting; n++) hops.record(draft('a', { path }));
    expect(all(hops, 'a')).toHaveLength(fitting);
    const rest = routerLimits.laneHopBytesMax - fitting * 1_000_000 - 512;
    const kept = body(sharedLimits.hopBodyBytesMax);
    hops.record(draft('a', { response: kept, path: 'x'.repeat(rest - kept.bytes) }));
    expect(all(hops, 'a')).toHaveLength(fitting + 1);
    hops.record(draft('a'));
    expect(all(hops, 'a').at(0)).toBe(2);
    // What was not kept does not weigh.
    hops.record(draft('b', { response: body(routerLimits.laneHopBytesMax * 2) }));
    hops.record(draft('b', { response: body(routerLimits.laneHopBytesMax * 2, 'text/plain') }));
    expect(all(hops, 'b')).toHaveLength(2);
  });

  test('are kept up to a total size, of which each lane has an equal share', () => {
    const hops = new Hops();
    const lanes = Math.floor(routerLimits.routerHopBytesMax / routerLimits.laneHopBytesMax);
    const path = 'x'.repeat(routerLimits.laneHopBytesMax / 2 - 512);
    const fill = (key: string): void => {
      for (let hop = 0; hop < 2; hop++) hops.record(draft(key, { path }));
    };
    for (let lane = 0; lane < lanes; lane++) fill(`k${lane}`);
    expect(all(hops, 'k0')).toHaveLength(2);
    fill('one-more');
    expect(all(hops, 'one-more')).toHaveLength(1);
    fill('k0');
    expect(all(hops, 'k0')).toHaveLength(1);
  });

  test('are read in pages', () => {
    const hops = new Hops();
    for (let n = 0; n < routerLimits.routerPageHopsMax + 1; n++) hops.record(draft('a'));
    expect(hops.after('a', 1)).toHaveLength(routerLimits.routerPageHopsMax);
    expect(hops.after('a', 0)).toHaveLength(routerLimits.routerPageHopsMax);
    expect(hops.after('a', 0).at(-1)?.n).toBe(routerLimits.routerPageHopsMax);
  });

  test('of ended lanes are kept for a number of lanes, and the oldest lanes are dropped first', () => {
    const hops = new Hops();
    const ended = Array.from(
      { length: routerLimits.routerEndedLanesMax },
      (_, index) => `e${index}`,
    );
    for (const key of ['open', ...ended]) hops.record(draft(key));
    hops.keepLanes(new Set(['open']));
    expect(ended.every((key) => all(hops, key).length === 1)).toBe(true);
    hops.record(draft('one-more'));
    hops.keepLanes(new Set(['open']));
    expect(ended.filter((key) => all(hops, key).length === 0)).toEqual(['e0']);
    expect(all(hops, 'open')).toHaveLength(1);
  });
});
