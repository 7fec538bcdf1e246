import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../kernel/index.ts';
import type { Entry } from '../../ledger/index.ts';
import { type WatchRow, watchedPromotion } from './watched-promotion.ts';

type Told = readonly [at: number, kind: string, body?: JsonObject];

/** What is looked after once these have happened. */
function play(...told: readonly Told[]): WatchRow | undefined {
  const rows = new Map<string, Json | undefined>();
  const access = {
    get: <Value extends Json>(key: string) => rows.get(key) as Value | undefined,
    set: (key: string, value: Json | undefined) => void rows.set(key, value),
  };
  for (const [at, kind, body = {}] of told) {
    watchedPromotion.apply(access, { kind, body, at } as unknown as Entry);
  }
  return rows.get('promotion-watch') as WatchRow | undefined;
}

const promoted = (at: number, base: number, service: string): Told => {
  const body = { commit: `v${base + 1}`, base: `v${base}`, services: [service], watchMs: 60 };
  return [at, 'change-promoted', body];
};
const two = [promoted(0, 1, 'orders'), promoted(50, 2, 'edge')] as const;

describe('a promotion on top of one that is still watched', () => {
  test('is watched first', () => {
    expect(play(...two)).toMatchObject({
      commit: 'v3',
      base: 'v2',
      services: ['edge'],
      until: 110,
    });
  });

  test('leaves the earlier one to be watched when it succeeds, and keeps the way back for both', () => {
    expect(play(...two, [111, 'promotion-kept'])).toEqual({
      commit: 'v3',
      base: 'v1',
      services: ['orders', 'edge'],
      task: null,
      promotedAt: 0,
      since: 0,
      until: 60,
      below: null,
    });
    expect(play(...two, [111, 'promotion-kept'], [112, 'promotion-kept'])).toBeUndefined();
  });

  test('restarts the watch of the earlier one when it is rolled back', () => {
    const left = play(...two, [70, 'promotion-returned']);
    expect(left).toMatchObject({ commit: 'v2', base: 'v1', promotedAt: 0, since: 70, until: 130 });
  });

  test('stays watched when only the later one of two that count as one is rolled back', () => {
    const body = { commit: 'v3', base: 'v2' };
    const left = play(...two, [111, 'promotion-kept'], [120, 'promotion-returned', body]);
    expect(left).toMatchObject({ commit: 'v2', base: 'v1', since: 120, until: 180, below: null });
    const both = { commit: 'v3', base: 'v1' };
    expect(play(...two, [111, 'promotion-kept'], [120, 'promotion-returned', both])).toBe(
      undefined,
    );
  });

  test('does not let the first one be forgotten, however many follow', () => {
    const four = [...two, promoted(100, 3, 'edge'), promoted(150, 4, 'pricing')];
    const { below, ...newest } = play(...four) ?? {};
    expect(newest).toMatchObject({ commit: 'v5', base: 'v4' });
    expect(below).toMatchObject({ commit: 'v4', base: 'v1', services: ['orders', 'edge'] });
  });
});

describe('a start of a service', () => {
  const started = (at: number, service: string, commit: string): Told => {
    return [at, 'service-started', { service, commit }];
  };

  test('of the promoted version restarts the watch', () => {
    const left = play(promoted(0, 1, 'orders'), started(50, 'orders', 'v2'));
    expect(left).toMatchObject({ promotedAt: 0, since: 50, until: 110 });
  });

  test.each([
    ['of another service', started(50, 'edge', 'v2')],
    ['of another version', started(50, 'orders', 'v1')],
  ])('%s does not restart the watch', (_, start) => {
    expect(play(promoted(0, 1, 'orders'), start)).toMatchObject({ since: 0, until: 60 });
  });

  test('means nothing when no promotion is watched', () => {
    expect(play(started(50, 'orders', 'v2'))).toBeUndefined();
  });
});

test('watches no promotion when watching is off or a person has to act', () => {
  expect(play([0, 'change-promoted', { commit: 'v2', base: 'v1', watchMs: 0 }])).toBeUndefined();
  expect(play(...two, [60, 'promotion-stuck'])).toBeUndefined();
});
