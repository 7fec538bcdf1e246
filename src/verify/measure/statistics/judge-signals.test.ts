import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../tests/harness/deep.ts';
import { judgeSignals, type SignalMeasurement, type SignalVerdict } from './judge-signals.ts';
import { type NoiseScene, noises, seeded, simulate } from './noise.fixture.ts';
import type { Pair, Start } from './pair.ts';
import { signalRules } from './signal-rule.ts';

const cpu = signalRules['cpu-us'];
const { errors } = signalRules;

const measured = (starts: readonly Start[], signal = 'cpu-us'): SignalMeasurement => ({
  signal,
  rule: signal === 'errors' ? errors : cpu,
  starts,
});

const verdictOn = (starts: readonly Start[], signal?: string): SignalVerdict =>
  judgeSignals([measured(starts, signal)])[0] as SignalVerdict;

/** So many runs with all signals on; the first is that of the scene, the others are identical. */
function verdicts(scene: NoiseScene, count: number): SignalVerdict[][] {
  const random = seeded(scene.pairs);
  const calm = { ...scene, factor: 1 };
  return Array.from({ length: count }, () =>
    judgeSignals([
      measured(simulate(scene, random)),
      ...Array.from({ length: 6 }, (_, n) => measured(simulate(calm, random), `other ${n}`)),
    ]),
  );
}

const pairs = (control: readonly number[], candidate: readonly number[]): Pair[] =>
  control.map((value, index) => ({ control: value, candidate: candidate[index] ?? 0 }));

const zeros = (count: number): number[] => Array<number>(count).fill(0);

describe.each(Object.keys(noises))('with %s', (noise) => {
  test('identical versions raise no alarm in 99 of 100 verdicts', () => {
    const count = runs(15, 60);
    const judged = [
      ...verdicts({ noise, pairs: 50 }, count),
      ...verdicts({ noise, pairs: 150, starts: 3, startSpread: 0.03 }, count),
    ];
    const alarms = judged.filter((run) => run.some(({ verdict }) => verdict === 'worse'));
    expect(alarms.length).toBeLessThanOrEqual(1);
  });

  test('+50 % is detected with 50 pairs, +20 % with 150', () => {
    const count = runs(10, 40);
    const seen = (scene: Omit<NoiseScene, 'noise'>): number =>
      verdicts({ noise, ...scene }, count).filter(([first]) => first?.verdict === 'worse').length;
    expect(seen({ pairs: 50, factor: 1.5 })).toBeGreaterThanOrEqual(count - 1);
    expect(seen({ pairs: 150, starts: 3, factor: 1.2 })).toBeGreaterThanOrEqual(0.9 * count);
  });
});

describe('a signal is', () => {
  test('not worse when the versions are the same, with an interval around 1', () => {
    const found = verdictOn(simulate({ noise: 'slow waves', pairs: 60 }, seeded(3)));
    expect(found).toMatchObject({ verdict: 'not-worse', pairs: 60, starts: 1, pairsNeeded: null });
    expect(found.interval.low).toBeLessThan(1);
    expect(found.interval.high).toBeGreaterThan(1);
  });

  test('inconclusive with a few pairs, and states how many it would take', () => {
    const random = seeded(8);
    const scene = { noise: 'heavy tails', factor: 1.3 } as const;
    const few = verdictOn(simulate({ ...scene, pairs: 12 }, random));
    expect(few.verdict).toBe('inconclusive');
    expect(few.pairsNeeded).toBeGreaterThan(12);
    const enough = Array.from({ length: 20 }, () =>
      verdictOn(simulate({ ...scene, pairs: 3 * (few.pairsNeeded ?? 0) }, random)),
    );
    expect(enough.filter(({ verdict }) => verdict !== 'inconclusive').length).toBeGreaterThan(15);
  });

  test('not worse because of a single unlucky process among three', () => {
    const random = seeded(2);
    const start = (factor: number) =>
      simulate({ noise: 'slow waves', pairs: 100, factor, startSpread: 0 }, random)[0] as Start;
    expect(verdictOn([start(2), start(1), start(1)]).verdict).not.toBe('worse');
    expect(verdictOn([start(2), start(2), start(2)]).verdict).toBe('worse');
  });

  test('worse when one request in five is far slower and the others are unchanged', () => {
    const control = Array<number>(150).fill(1_000);
    const candidate = control.map((value, index) => (index % 5 === 0 ? 50 * value : value));
    expect(verdictOn([pairs(control, candidate)]).verdict).toBe('worse');
    expect(verdictOn([pairs(candidate, control)]).verdict).not.toBe('worse');
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1])(
    'never not-worse if a measurement is %d',
    (broken) => {
      const good = pairs(Array<number>(100).fill(1_000), Array<number>(100).fill(1_000));
      expect(verdictOn([good]).verdict).toBe('not-worse');
      const [found] = [verdictOn([[...good, { control: 1_000, candidate: broken }]])];
      expect(found).toMatchObject({ verdict: 'inconclusive', pairs: 100 });
    },
  );

  test.each<[string, Start[]]>([
    ['no start', []],
    ['a start without pairs', [[]]],
    ['one pair', [[{ control: 1, candidate: 1 }]]],
  ])('inconclusive with %s', (_, starts) => {
    expect(verdictOn(starts).verdict).toBe('inconclusive');
    expect(verdictOn(starts, 'errors').verdict).toBe('inconclusive');
  });

  test('never worse in both directions', () => {
    const value = fc.double({ min: 1, max: 1e6, noNaN: true });
    const start = fc.array(fc.record({ control: value, candidate: value }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.array(start, { maxLength: 3 }), (starts) => {
        const mirrored = starts.map((one) =>
          one.map(({ control, candidate }) => ({ control: candidate, candidate: control })),
        );
        const both = [verdictOn(starts).verdict, verdictOn(mirrored).verdict];
        expect(both.filter((verdict) => verdict === 'worse').length).toBeLessThanOrEqual(1);
      }),
      { numRuns: runs(20, 1_000) },
    );
  });
});

describe('a counted signal', () => {
  test('is worse if new errors are frequent, and never not-worse if there are any', () => {
    const every = (n: number, count: number) => zeros(count).map((_, i) => (i % n === 0 ? 1 : 0));
    expect(verdictOn([pairs(zeros(100), every(5, 100))], 'errors').verdict).toBe('worse');
    expect(verdictOn([pairs(zeros(300), every(100, 300))], 'errors')).toMatchObject({
      verdict: 'inconclusive',
      before: 0,
      after: 3,
    });
  });

  test('is not worse without errors, or with as many on both sides', () => {
    expect(verdictOn([pairs(zeros(50), zeros(50))], 'errors').verdict).toBe('not-worse');
    const ones = zeros(50).map(() => 3);
    expect(verdictOn([pairs(ones, ones)], 'errors').verdict).toBe('not-worse');
  });

  test('raises no alarm if the same errors hit either version', () => {
    const random = seeded(21);
    const error = () => (random() < 0.1 ? 1 : 0);
    const judged = Array.from({ length: 300 }, () => {
      const start = Array.from({ length: 100 }, () => ({ control: error(), candidate: error() }));
      return verdictOn([start], 'errors').verdict;
    });
    expect(judged.filter((verdict) => verdict === 'worse').length).toBeLessThanOrEqual(3);
  });
});

describe('a case that a published judge passes is never not-worse', () => {
  test.each<[string, string, number[], number[]]>([
    ['no errors, then 0 1 2 1 0 0', 'errors', zeros(6), [0, 1, 2, 1, 0, 0]],
    ['the same as a measurement', 'cpu-us', zeros(6), [0, 1_000, 2_000, 1_000, 0, 0]],
    ['no errors, then a few in fifty', 'errors', zeros(50), [1, 1, 1, 1, ...zeros(46)]],
    ['no errors, then a single one in two hundred', 'errors', zeros(200), [1, ...zeros(199)]],
    [
      '7 of 10 points 100 times worse',
      'cpu-us',
      Array<number>(10).fill(1_000),
      [...Array<number>(7).fill(100_000), 1_000, 1_000, 1_000],
    ],
  ])('%s', (_, signal, control, candidate) => {
    expect(verdictOn([pairs(control, candidate)], signal).verdict).not.toBe('not-worse');
  });
});

test('the numbers of a measured signal fit its percentage', () => {
  const pairs = [65, 65, 65, 90, 40].map((control, index) => ({
    control: control * 100,
    candidate: [73, 73.4, 82, 82, 82][index] as number,
  }));
  const scaled = pairs.map(({ control, candidate }) => ({ control, candidate: candidate * 100 }));
  const { before, after, ratio } = verdictOn([scaled]);
  expect(after / before).toBeCloseTo(ratio ?? 0);
});
