import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { verifyLimits } from '../limits.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import { type Block, runBlock } from './block.ts';
import { tellHoldUps } from './hold-ups.ts';
import { findLeak } from './judge-growth.ts';
import {
  type BlockPair,
  findErrorsAlone,
  findStrains,
  isAgain,
  type Strain,
} from './judge-load.ts';
import type { LoadArm } from './load-arm.ts';
import { quantile } from './service-load.ts';
import { leakDifference, leakRemark } from './tell-growth.ts';
import { heldRemark, strainDifference } from './tell-load.ts';

const request = (method: string, path: string): ScenarioRequest => ({
  method,
  path,
  headers: [],
  body: null,
  status: 200,
  answer: null,
});
const [usual, rare] = [request('GET', '/trades/trd_1'), request('POST', '/orders')];

/** `rareMs`: of every fifth request, which is another one than the rest. */
const block = (
  ms: number,
  more: Partial<Block> & { errors?: number; hops?: Hop[]; rareMs?: number } = {},
): Block => ({
  clients: 12,
  samples: Array.from({ length: 40 }, (_, n) => ({
    id: `r${n}`,
    request: n % 5 === 0 ? rare : usual,
    ms: n % 5 === 0 ? (more.rareMs ?? ms) : ms * (1 + (n % 5) / 10),
    isError: n < (more.errors ?? 0),
  })),
  hops: [],
  cpuNs: [],
  held: { residentBytes: [], told: [] },
  sent: 0,
  ...more,
});

/** Of six blocks by one client each. */
function rareErrors(candidate: number, control = 0): (readonly [Block, Block])[] {
  const alone = (errors: number): Block => block(9, { clients: 1, errors });
  return Array.from({ length: 6 }, (_, n) =>
    n === 4 ? ([alone(control), alone(candidate)] as const) : ([alone(0), alone(0)] as const),
  );
}

const pairs = (...blocks: readonly (readonly [Block, Block])[]): BlockPair[] =>
  blocks.map(([control, candidate]) => ({ control, candidate }));

describe('under load a change is worse', () => {
  const twice = [block(100), block(300)] as const;
  test.each<[string, BlockPair[], string | null]>([
    ['when every pair of blocks is far slower', pairs(twice, twice, twice), 'p95-ms'],
    ['not when one of them is as fast', pairs(twice, twice, [block(100), block(100)]), null],
    ['not by what nobody feels', pairs(...Array(3).fill([block(2), block(9)])), null],
    [
      'when one request of many is far slower',
      pairs(...Array(3).fill([block(300, { rareMs: 40 }), block(300, { rareMs: 200 })])),
      'median-ms',
    ],
    ['not by a little', pairs(...Array(3).fill([block(100), block(140)])), null],
    [
      'when it fails where nothing failed',
      pairs(...Array(3).fill([block(9), block(9, { errors: 1 })])),
      'errors',
    ],
    [
      'not when it failed in one block only',
      pairs([block(9), block(9, { errors: 9 })], [block(9), block(9)], [block(9), block(9)]),
      null,
    ],
    [
      'not when both fail',
      pairs(...Array(3).fill([block(9, { errors: 4 }), block(9, { errors: 6 })])),
      null,
    ],
    ['not when nothing was seen', [], null],
  ])('%s', (_, given, expected) => {
    expect(findStrains(given)[0]?.what ?? null).toBe(expected);
  });
});

test.each<[string, BlockPair[], boolean]>([
  ['three in a few of many blocks', pairs(...rareErrors(3)), true],
  ['fewer', pairs(...rareErrors(2)), false],
  ['where the version before has one', pairs(...rareErrors(3, 1)), false],
])('errors of a client that is alone are none of load: %s', (_, given, expected) => {
  const found = findErrorsAlone(given);
  expect(found !== null).toBe(expected);
  const seen = { first: [], again: given, all: [] };
  if (found) expect(strainDifference(found, seen, ['orders']).difference.class).toBe('signal');
});

test('what gave is confirmed only by what gives in the same way at the same place', () => {
  const three = (control: Block, candidate: Block) =>
    findStrains(pairs(...Array(3).fill([control, candidate])));
  const slow = (rareMs: number, ms = 300) =>
    three(block(300, { rareMs: 40 }), block(ms, { rareMs }));
  const failing = three(block(9), block(9, { errors: 1 }));
  const both = three(block(100), block(300, { errors: 1 }));
  const [rareOne, all, errors] = [slow(200)[0], slow(40, 900)[0], failing[0]];
  const again = (strain: Strain | undefined, before: Strain[]) => strain && isAgain(strain, before);
  expect([rareOne, all, errors].map((one) => one?.what)).toEqual(['median-ms', 'p95-ms', 'errors']);
  expect(again(rareOne, slow(200))).toBe(true);
  expect(again(rareOne, slow(40, 900))).toBe(false);
  expect(again(all, slow(200))).toBe(false);
  expect(again(all, failing)).toBe(false);
  expect(again(errors, slow(40, 900))).toBe(false);
  // A start that showed both is confirmed by either.
  expect([again(all, both), again(errors, both)]).toEqual([true, true]);
});

describe('what grows with each request', () => {
  const mb = 1024 * 1024;
  const holding = (sent: number, bytes: number, heldBytes: number | null): Block => {
    const rest = { loopDelayMs: 0, poolWaits: 0, poolWaitMs: 0 };
    const told = [heldBytes === null ? null : { heldBytes, ...rest }];
    return block(5, { sent, held: { residentBytes: [bytes], told } });
  };
  const growing = (perRequest: number, wobble = 0, perRequestInHeap?: number): Block[] =>
    Array.from({ length: 12 }, (_, n) =>
      holding(
        n * 100,
        60 * mb + n * 100 * perRequest + (n % 3 === 0 ? wobble : 0),
        perRequestInHeap === undefined ? null : 20 * mb + n * 100 * perRequestInHeap,
      ),
    );
  const against = (candidate: Block[], control = growing(0)): BlockPair[] =>
    candidate.map((one, n) => ({ control: control[n] as Block, candidate: one }));

  test.each<[string, BlockPair[], boolean]>([
    ['is a leak', against(growing(64 * 1024)), true],
    [
      'is one also where memory wobbles',
      against(growing(64 * 1024, 8 * mb), growing(0, 8 * mb)),
      true,
    ],
    [
      'is none where the version before grew as well',
      against(growing(64 * 1024), growing(60 * 1024)),
      false,
    ],
    ['is none when it is little', against(growing(4 * 1024)), false],
    [
      'is none when a collection gives it back',
      against(growing(64 * 1024).map((one, n) => (n > 10 ? holding(1_100, 70 * mb, null) : one))),
      false,
    ],
    [
      'is one where little grows once garbage is out',
      against(growing(0, 0, 3 * 1024), growing(0, 0, 200)),
      true,
    ],
    [
      'is none where only garbage grows',
      against(growing(64 * 1024, 0, 900), growing(0, 0, 100)),
      false,
    ],
  ])('%s', (_, given, expected) => {
    expect(findLeak(given, 1) !== null).toBe(expected);
  });

  test('is certain, and a finding, only without garbage', () => {
    const guess = findLeak(against(growing(64 * 1024)), 1);
    const leak = findLeak(against(growing(0, 0, 64 * 1024), growing(0, 0, 100)), 1);
    expect(guess?.isCertain).toBe(false);
    expect(leak && leakDifference(leak, ['pricing'])).toMatchObject({
      class: 'signal',
      what: 'heap-growth-bytes',
      service: 'pricing',
      after: '64 kB more with each of 700 requests, without garbage',
    });
  });

  test('is told by request, with the service that does', () => {
    const leak = findLeak(against(growing(64 * 1024)), 1);
    const remark = leak && leakRemark(leak, ['pricing']);
    expect(remark).toContain('memory of pricing grew by 0.0 kB → 64 kB for each of 700 requests');
  });
});

test('what gave is told with the services that it reached, and a request that shows it', () => {
  const hops = (ms: number): Hop[] => [
    { ...hop(), from: null, to: 'edge', durationMs: ms + 5, status: 200, requestId: 'r4' },
    { ...hop(), from: 'edge', to: 'payments', durationMs: ms, status: 200, requestId: 'r4' },
    { ...hop(), from: 'payments', to: 'books', durationMs: 3, status: 200, requestId: 'r4' },
  ];
  const given = pairs([block(100, { hops: hops(100) }), block(8_000, { hops: hops(8_000) })]);
  const [strain] = findStrains(given);
  const seen = { first: given, again: [], all: given };
  const told = strain && strainDifference(strain, seen, ['payments']);
  expect(told?.difference).toMatchObject({
    class: 'load',
    what: 'p95-ms',
    service: 'payments',
    before: 'p95 140 ms with 12 clients at once',
    after: expect.stringMatching(/^p95 11200 ms; by service: payments p95 100 → 8000 ms, edge/),
    examples: { after: { request: 'r4' } },
  });
  expect(told?.difference.after).not.toContain('books');
  expect(told?.shown).toHaveLength(3);
});

test.each<[string, BlockPair[], RegExp]>([
  ['it held', pairs([block(9), block(9)]), /^held under load of up to 12 clients at once like b/],
  ['a few fail', pairs([block(9, { errors: 8 }), block(9)]), /^held/],
  [
    'most fail',
    pairs([block(9, { errors: 10 }), block(9)], [block(9, { errors: 30 }), block(9)]),
    /^little is known .* 12 clients at once: 50 % .* failed on the version before/,
  ],
  ['nothing was sent', pairs([block(9, { samples: [] }), block(9)]), /^held/],
])('where nothing gave, what the version before bore is told: %s', (_, given, expected) => {
  expect(heldRemark(given)).toMatch(expected);
});

describe('what held a service up', () => {
  const tells = (loopDelayMs: number, poolWaits: number, poolWaitMs: number): Block =>
    block(5, {
      held: { residentBytes: [], told: [{ heldBytes: 0, loopDelayMs, poolWaits, poolWaitMs }] },
    });
  const calm = tells(5, 0, 0);

  test.each<[string, BlockPair[], readonly string[]]>([
    ['is told of its event loop', pairs([calm, calm], [calm, tells(90, 0, 0)]), []],
    [
      'is told of its event loop, by most blocks',
      pairs(...Array(3).fill([calm, tells(90, 0, 0)])),
      ['the event loop of payments was held up for 5 → 90 ms'],
    ],
    [
      'is told of its pool, by what these blocks added',
      pairs([tells(5, 10, 10), tells(5, 10, 50)], [tells(5, 20, 20), tells(5, 20, 2_050)]),
      ['payments waited for connections of its pool for 1 → 200 ms each'],
    ],
    ['is nothing where it is as before', pairs([tells(90, 1, 1), tells(95, 1, 1)]), []],
    ['is nothing where it could not be asked', pairs([block(5), block(5)]), []],
  ])('%s', (_, given, expected) => {
    expect(tellHoldUps(given, ['payments'])).toEqual(expected);
  });
});

describe('a block of load', () => {
  type Session = (steps: unknown, isLate?: () => boolean) => Promise<never[]>;
  const armOf = (runSession: Session): LoadArm => {
    const usedNs = [900, 200];
    const cpuNs = (): number[] => [usedNs.pop() ?? 0];
    const held = async () => ({ residentBytes: [], told: [] });
    return { runSession, cpuNs, newHops: async () => [], held, sent: 0 } as never;
  };

  test('has as many clients at once as are asked for, and never more than the limit', async () => {
    let sessions = 0;
    const arm = armOf(async () => {
      sessions++;
      return [];
    });
    const { cpuNs } = await runBlock(arm, [[]], verifyLimits.loadClientsMax);
    expect(cpuNs).toEqual([700]);
    expect(sessions).toBe(verifyLimits.loadClientsMax);
    await runBlock(arm, [[]], verifyLimits.loadClientsMax + 1);
    expect(sessions).toBe(2 * verifyLimits.loadClientsMax);
  });

  test('has every client stop in the end', async () => {
    const asked: boolean[] = [];
    const arm = armOf(async (_, isLate) => {
      for (const ms of [2 * verifyLimits.loadBlockMsMax, 1]) {
        vi.advanceTimersByTime(ms);
        asked.push(isLate?.() ?? false);
      }
      return [];
    });
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      await runBlock(arm, [[]], 1);
    } finally {
      vi.useRealTimers();
    }
    expect(asked).toEqual([false, true]);
  });

  test('does not wait for slow clients before the next come', async () => {
    let [running, most] = [0, 0];
    const arm = armOf(async () => {
      most = Math.max(most, ++running);
      await delay(600);
      running--;
      return [];
    });
    await runBlock(arm, [[], []], 2);
    expect(most).toBe(4);
    expect(verifyLimits.loadBlockMsMax).toBeGreaterThan(600);
  });
});

test.each([
  [[], 0],
  [[5], 5],
  [[1, 2, 3, 4], 2],
  [Array.from({ length: 100 }, (_, n) => n + 1), 50],
])('the middle of %j is %d', (values, middle) => {
  expect(quantile(values, 0.5)).toBe(middle);
});
