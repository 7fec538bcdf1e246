import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { verifyLimits } from '../limits.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import { type Block, runBlock } from './block.ts';
import {
  type BlockPair,
  type Degradation,
  findDegradations,
  findErrorsAlone,
  isSameDegradation,
} from './degradation.ts';
import {
  degradationDifference,
  formatBottlenecks,
  formatNoDegradation,
} from './format-degradation.ts';
import { findLeak, formatLeak, leakDifference } from './leak.ts';
import type { LoadArm } from './load-arm.ts';
import { quantile } from './service-load.ts';

const request = (method: string, path: string): ScenarioRequest => ({
  method,
  path,
  headers: [],
  body: null,
  status: 200,
  answer: null,
});
const [usual, rare] = [request('GET', '/trades/trd_1'), request('POST', '/orders')];

/** `rareMs`: of every fifth request, which differs from the rest. */
const block = (
  ms: number,
  more: Partial<Block> & { errors?: number; hops?: Hop[]; rareMs?: number; refused?: number } = {},
): Block => ({
  clients: 12,
  samples: Array.from({ length: 40 }, (_, n) => ({
    id: `r${n}`,
    request: n % 5 === 0 ? rare : usual,
    ms: n % 5 === 0 ? (more.rareMs ?? ms) : ms * (1 + (n % 5) / 10),
    isError: n < (more.errors ?? 0),
    words: [`status=${n < (more.refused ?? 0) ? 'refused' : 'accepted'}`],
  })),
  hops: [],
  cpuNs: [],
  processes: { residentBytes: [], readings: [] },
  sent: 0,
  ...more,
});

/** Six pairs of blocks by one client; one of them has errors. */
function rareErrors(candidate: number, control = 0): (readonly [Block, Block])[] {
  const alone = (errors: number): Block => block(9, { clients: 1, errors });
  return Array.from({ length: 6 }, (_, n) =>
    n === 4 ? ([alone(control), alone(candidate)] as const) : ([alone(0), alone(0)] as const),
  );
}

const pairs = (...blocks: readonly (readonly [Block, Block])[]): BlockPair[] =>
  blocks.map(([control, candidate]) => ({ control, candidate }));

describe('under load a change has degraded', () => {
  const twice = [block(100), block(300)] as const;
  test.each<[string, BlockPair[], string | null]>([
    ['when every pair of blocks is far slower', pairs(twice, twice, twice), 'p95-ms'],
    ['not when one pair is as fast', pairs(twice, twice, [block(100), block(100)]), null],
    ['not when nobody notices it', pairs(...Array(3).fill([block(2), block(9)])), null],
    [
      'when one request of many is far slower',
      pairs(...Array(3).fill([block(300, { rareMs: 40 }), block(300, { rareMs: 200 })])),
      'median-ms',
    ],
    ['not when it is slightly slower', pairs(...Array(3).fill([block(100), block(140)])), null],
    [
      'when it fails and the baseline does not',
      pairs(...Array(3).fill([block(9), block(9, { errors: 1 })])),
      'errors',
    ],
    [
      'not when it fails in one block only',
      pairs([block(9), block(9, { errors: 9 })], [block(9), block(9)], [block(9), block(9)]),
      null,
    ],
    [
      'not when both fail',
      pairs(...Array(3).fill([block(9, { errors: 4 }), block(9, { errors: 6 })])),
      null,
    ],
    [
      'when it answers what the baseline never does',
      pairs([block(9), block(9)], [block(9), block(9, { refused: 20 })]),
      'answers',
    ],
    [
      'not when both answer it',
      pairs([block(9, { refused: 6 }), block(9)], [block(9), block(9, { refused: 20 })]),
      null,
    ],
    ['not without any blocks', [], null],
  ])('%s', (_, given, expected) => {
    expect(findDegradations(given)[0]?.what ?? null).toBe(expected);
  });
});

test.each<[string, BlockPair[], boolean]>([
  ['counts three in one of many blocks', pairs(...rareErrors(3)), true],
  ['ignores fewer', pairs(...rareErrors(2)), false],
  ['ignores them if the baseline also has one', pairs(...rareErrors(3, 1)), false],
])('errors of a single client are a signal, not load: %s', (_, given, expected) => {
  const found = findErrorsAlone(given);
  expect(found !== null).toBe(expected);
  const blocks = { first: [], again: given, all: [] };
  if (found)
    expect(degradationDifference(found, blocks, ['orders']).difference.class).toBe('signal');
});

test('another answer under load names the request and the answer', () => {
  const given = pairs(...Array(3).fill([block(9), block(9, { refused: 20 })]));
  const [found] = findDegradations(given).filter(({ request }) => request === 'POST /orders');
  const blocks = { first: given, again: [], all: [] };
  expect(found && degradationDifference(found, blocks, ['orders']).difference).toMatchObject({
    class: 'load',
    what: 'answers',
    place: 'POST /orders',
    before: '0 other answers with 12 concurrent clients',
    after: expect.stringContaining('12 other answers: status=refused'),
  });
});

test('a degradation is confirmed only by the same kind at the same place', () => {
  const three = (control: Block, candidate: Block) =>
    findDegradations(pairs(...Array(3).fill([control, candidate])));
  const slow = (rareMs: number, ms = 300) =>
    three(block(300, { rareMs: 40 }), block(ms, { rareMs }));
  const failing = three(block(9), block(9, { errors: 1 }));
  const both = three(block(100), block(300, { errors: 1 }));
  const [rareOne, all, errors] = [slow(200)[0], slow(40, 900)[0], failing[0]];
  const again = (degradation: Degradation | undefined, before: Degradation[]) =>
    degradation && isSameDegradation(degradation, before);
  expect([rareOne, all, errors].map((one) => one?.what)).toEqual(['median-ms', 'p95-ms', 'errors']);
  expect(again(rareOne, slow(200))).toBe(true);
  expect(again(rareOne, slow(40, 900))).toBe(false);
  expect(again(all, slow(200))).toBe(false);
  expect(again(all, failing)).toBe(false);
  expect(again(errors, slow(40, 900))).toBe(false);
  // Either of two degradations confirms itself.
  expect([again(all, both), again(errors, both)]).toEqual([true, true]);
});

describe('memory that grows with each request', () => {
  const mb = 1024 * 1024;
  const holding = (sent: number, bytes: number, heldBytes: number | null): Block => {
    const rest = { loopDelayMs: 0, poolWaits: 0, poolWaitMs: 0 };
    const readings = [heldBytes === null ? null : { heldBytes, ...rest }];
    return block(5, { sent, processes: { residentBytes: [bytes], readings } });
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
      'is a leak even if memory fluctuates',
      against(growing(64 * 1024, 8 * mb), growing(0, 8 * mb)),
      true,
    ],
    [
      'is no leak if the baseline grows as well',
      against(growing(64 * 1024), growing(60 * 1024)),
      false,
    ],
    ['is no leak if it is little', against(growing(4 * 1024)), false],
    [
      'is no leak if a garbage collection releases it',
      against(growing(64 * 1024).map((one, n) => (n > 10 ? holding(1_100, 70 * mb, null) : one))),
      false,
    ],
    [
      'is a leak if little grows without garbage',
      against(growing(0, 0, 3 * 1024), growing(0, 0, 200)),
      true,
    ],
    [
      'is no leak if only garbage grows',
      against(growing(64 * 1024, 0, 900), growing(0, 0, 100)),
      false,
    ],
  ])('%s', (_, given, expected) => {
    expect(findLeak(given, 1) !== null).toBe(expected);
  });

  test('is certain, and a finding, only if it is measured without garbage', () => {
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

  test('is reported by request, with its service', () => {
    const leak = findLeak(against(growing(64 * 1024)), 1);
    const remark = leak && formatLeak(leak, ['pricing']);
    expect(remark).toContain('memory of pricing grew by 0.0 kB → 64 kB for each of 700 requests');
  });
});

test('a degradation names the affected services and an example request', () => {
  const hops = (ms: number): Hop[] => [
    { ...hop(), from: null, to: 'edge', durationMs: ms + 5, status: 200, requestId: 'r4' },
    { ...hop(), from: 'edge', to: 'payments', durationMs: ms, status: 200, requestId: 'r4' },
    { ...hop(), from: 'payments', to: 'books', durationMs: 3, status: 200, requestId: 'r4' },
  ];
  const given = pairs([block(100, { hops: hops(100) }), block(8_000, { hops: hops(8_000) })]);
  const [degradation] = findDegradations(given);
  const blocks = { first: given, again: [], all: given };
  const found = degradation && degradationDifference(degradation, blocks, ['payments']);
  expect(found?.difference).toMatchObject({
    class: 'load',
    what: 'p95-ms',
    service: 'payments',
    before: 'p95 140 ms with 12 concurrent clients',
    after: expect.stringMatching(/^p95 11200 ms; by service: payments p95 100 → 8000 ms, edge/),
    examples: { after: { request: 'r4' } },
  });
  expect(found?.difference.after).not.toContain('books');
  expect(found?.shown).toHaveLength(3);
});

test.each<[string, BlockPair[], RegExp]>([
  ['none fails', pairs([block(9), block(9)]), /^no worse .* of up to 12 concurrent clients$/],
  ['a few fail', pairs([block(9, { errors: 8 }), block(9)]), /^no worse/],
  [
    'most fail',
    pairs([block(9, { errors: 10 }), block(9)], [block(9, { errors: 30 }), block(9)]),
    /^load of up to 12 concurrent clients shows little: 50 % .* failed on the baseline/,
  ],
  ['nothing was sent', pairs([block(9, { samples: [] }), block(9)]), /^no worse/],
])('without a degradation, a remark states the load: of the requests %s', (_, given, expected) => {
  expect(formatNoDegradation(given)).toMatch(expected);
});

describe('bottlenecks of a service', () => {
  const reading = (loopDelayMs: number, poolWaits: number, poolWaitMs: number): Block =>
    block(5, {
      processes: {
        residentBytes: [],
        readings: [{ heldBytes: 0, loopDelayMs, poolWaits, poolWaitMs }],
      },
    });
  const calm = reading(5, 0, 0);

  test.each<[string, BlockPair[], readonly string[]]>([
    [
      'leave out a delay of the event loop in one block',
      pairs([calm, calm], [calm, reading(90, 0, 0)]),
      [],
    ],
    [
      'include a delay of the event loop in most blocks',
      pairs(...Array(3).fill([calm, reading(90, 0, 0)])),
      ['event loop delay of payments 5 → 90 ms'],
    ],
    [
      'include waits for its pool that these blocks added',
      pairs([reading(5, 10, 10), reading(5, 10, 50)], [reading(5, 20, 20), reading(5, 20, 2_050)]),
      ['payments waited 1 → 200 ms for each connection of its pool'],
    ],
    ['leave out what the baseline has as well', pairs([reading(90, 1, 1), reading(95, 1, 1)]), []],
    ['are unknown without readings', pairs([block(5), block(5)]), []],
  ])('%s', (_, given, expected) => {
    expect(formatBottlenecks(given, ['payments'])).toEqual(expected);
  });
});

describe('a block of load', () => {
  type Session = (steps: unknown, isLate?: () => boolean) => Promise<never[]>;
  const armOf = (runSession: Session): LoadArm => {
    const usedNs = [900, 200];
    const cpuNs = (): number[] => [usedNs.pop() ?? 0];
    const processes = async () => ({ residentBytes: [], readings: [] });
    return { runSession, cpuNs, newHops: async () => [], processes, sent: 0 } as never;
  };

  test('has as many concurrent clients as wanted, up to the limit', async () => {
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

  test('stops every client after some time', async () => {
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

  test('starts more clients without waiting for slow ones', async () => {
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
])('the median of %j is %d', (values, median) => {
  expect(quantile(values, 0.5)).toBe(median);
});
