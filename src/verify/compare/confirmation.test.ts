import { describe, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import { Disputed } from '../history/disputed.ts';
import { checkId, differenceId } from '../judge/finding-id.ts';
import type { Round, Side } from '../observe/round.ts';
import type { SuiteRun } from '../suites/run-suite.ts';
import { confirm, isWorthReplay } from './confirmation.ts';
import { whyUnshown, withMeantValues } from './intended-values.ts';
import { hop, request } from './recorded.fixture.ts';

const run = (...failed: boolean[]): SuiteRun => ({
  suite: 'flow',
  result: failed.includes(true) ? 'failed' : 'passed',
  checks: failed.map((isFailed, index) => ({
    check: `check ${index}`,
    passed: !isFailed,
    expected: true,
    actual: !isFailed,
    requestId: null,
  })),
  reason: null,
});

const broken: SuiteRun = { suite: 'flow', result: 'broken', checks: [], reason: 'it ended with 2' };

const side = (amount: number | string, status = 200, suite = run(false)): Side => ({
  runs: [suite],
  hops: [1, 2, 3].map(() => hop({ requestBody: { amount }, status })),
  lastHop: 0,
});

const round = (candidate: Side, control: Side = side(1)): Round => ({ control, candidate });
const good = round(side(1));
const drifted = round(side('1'));
const failing = round(side(1, 200, run(true)));
const erring = round(side(1, 500));

const changed = ['pricing'];

describe('what was seen', () => {
  test.each<[string, Round[], { differences: number; doubts: number; failed: number }]>([
    ['never is nothing', [good], { differences: 0, doubts: 0, failed: 0 }],
    ['twice is confirmed', [drifted, drifted], { differences: 1, doubts: 0, failed: 0 }],
    ['twice of three, too', [drifted, good, drifted], { differences: 1, doubts: 0, failed: 0 }],
    ['once is not held against anybody', [good, drifted], { differences: 0, doubts: 0, failed: 0 }],
    [
      'once, but an error, is a doubt',
      [erring, good, good],
      { differences: 0, doubts: 1, failed: 0 },
    ],
    ['twice by a check is a failure', [failing, failing], { differences: 0, doubts: 0, failed: 1 }],
    ['once by a check is a doubt', [failing, good, good], { differences: 0, doubts: 1, failed: 0 }],
  ])('%s', (_, rounds, expected) => {
    const { differences, doubts, candidate } = confirm(rounds, changed);
    const failed = candidate.filter(({ result }) => result === 'failed').length;
    expect({ differences: differences.length, doubts: doubts.length, failed }).toEqual(expected);
  });

  test('between two rounds of the control is noise', () => {
    const noisy = [drifted, drifted, round(side(1), side('1'))];
    expect(confirm(noisy, changed).differences).toEqual([]);
  });

  test('by one check several times in a run is told for each of them', () => {
    const twice: SuiteRun = { ...run(true), checks: [...run(false).checks, ...run(true).checks] };
    const { candidate } = confirm(
      [round(side(1, 200, twice)), round(side(1, 200, twice))],
      changed,
    );
    expect(candidate[0]?.checks.map(({ passed }) => passed)).toEqual([true, false]);
  });

  test('by a check that fails on the control even once is no fault of the change', () => {
    const sick = round(failing.candidate, failing.candidate);
    expect(confirm([sick, failing], changed).control[0]?.result).toBe('failed');
  });
});

describe('it is sent again', () => {
  test.each<[string, Round[], boolean]>([
    ['not when all is well', [good], false],
    ['when something differs', [drifted], true],
    ['when a check failed', [failing], true],
    ['not when it was seen twice', [drifted, drifted], false],
    ['a third time when it was an error once', [erring, good], true],
    ['not when a suite is broken', [round(side('1', 200, broken))], false],
    ['not when the control fails, too', [round(side('1'), failing.candidate)], false],
  ])('%s', (_, rounds, expected) => {
    expect(isWorthReplay(rounds, changed)).toBe(expected);
  });
});

test('a suite that looks at less than before is a doubt, once it always does', () => {
  const many = (count: number) => side(1, 200, run(...Array<boolean>(count).fill(false)));
  const less = round(many(2), many(5));
  expect(confirm([less], changed).doubts).toEqual([
    expect.stringContaining('2 checks instead of 5'),
  ]);
  expect(isWorthReplay([less], changed)).toBe(true);
  expect(confirm([less, less, round(many(5), many(5))], changed).doubts).toEqual([]);
  expect(confirm([round(many(5), many(2))], changed).doubts).toEqual([]);
  const failed = round(side(1, 200, run(true)), many(5));
  expect(confirm([failed, failed], changed).doubts).toEqual([]);
});

describe('another number', () => {
  const other = round(side(2));

  test('is held against a change, but not against one that came with a test for it', () => {
    const confirmed = confirm([other, other], changed);
    const test = { control: run(true), candidate: run(false), hops: side(2).hops };
    const held = [{ what: 'value-changed' }];
    expect(withMeantValues(confirmed, undefined).differences).toMatchObject(held);
    const meant = withMeantValues(confirmed, test);
    expect(meant.differences).toEqual([]);
    expect(meant.notices).toMatchObject([{ what: 'value-changed' }]);
    const { differences } = withMeantValues(confirm([drifted, drifted], changed), test);
    expect(differences).toHaveLength(1);
    // Where the test never was, nor one that holds without the change, nothing is meant.
    const elsewhere = { ...test, hops: [hop({ path: '/elsewhere' })] };
    expect(withMeantValues(confirmed, elsewhere).differences).toMatchObject(held);
    const idle = { ...test, control: run(false) };
    expect(withMeantValues(confirmed, idle).differences).toMatchObject(held);
    expect(whyUnshown(idle)).toEqual([expect.stringContaining('does not fail on the version')]);
    expect([...whyUnshown(test), ...whyUnshown(undefined)]).toEqual([]);
  });

  test('is noise where the version that runs has others as well', () => {
    const noisy = [round(side(2), side(1)), round(side(4), side(3))];
    expect(confirm(noisy, changed).differences).toEqual([]);
  });

  test('is looked at three times, a truth value that was told seldom five times', () => {
    const truth = (is: boolean, times: number): Side => ({
      runs: [run(false)],
      hops: Array.from({ length: times }, () => hop({ responseBody: { isHigh: is } })),
      lastHop: 0,
    });
    const flipped = round(truth(false, 1), truth(true, 1));
    const often = round(truth(false, 4), truth(true, 4));
    const times = (one: Round, count: number): Round[] => Array<Round>(count).fill(one);
    const replayed = (one: Round): boolean[] =>
      [1, 2, 3, 4, 5].map((count) => isWorthReplay(times(one, count), changed));
    expect(replayed(other)).toEqual([true, true, false, false, false]);
    expect(replayed(flipped)).toEqual([true, true, true, true, false]);
    expect(replayed(often)).toEqual([true, true, false, false, false]);
    expect(confirm(times(flipped, 5), changed).differences).toHaveLength(1);
  });

  test('is explained only by what is confirmed itself', () => {
    const fee = (value: number, ...calls: Partial<Hop>[]): Side => ({
      ...side(1),
      hops: request(calls, { responseBody: { fee: value } }),
    });
    const lasting = [1, 2, 3].map(() => round(fee(0), fee(5)));
    const strayed = [...lasting.slice(1), round(fee(0, { to: 'audit' }), fee(5))];
    for (const rounds of [lasting, strayed]) {
      const { differences } = confirm(rounds, ['orders']);
      expect(differences).toMatchObject([{ what: 'value-changed' }]);
    }
  });

  test('that only some rounds have fails nothing, and twice is a doubt', () => {
    const twice = confirm([other, other, good], changed);
    expect(twice).toMatchObject({ differences: [], doubts: [expect.stringContaining('amount')] });
    expect(confirm([other, good, good], changed)).toMatchObject({ differences: [], doubts: [] });
    expect(isWorthReplay([other, other, good], changed)).toBe(false);
  });
});

describe('what is disputed', () => {
  const disputed = (...ids: string[]) =>
    new Disputed(ids.map((finding) => ({ finding, owner: 'ada', reason: 'no', until: 9 })));
  const both = round({
    ...side(1),
    hops: [1, 2, 3].map(() => hop({ requestBody: { amount: '1', fee: 0 } })),
  });
  const known = {
    ...side(1),
    hops: [1, 2, 3].map(() => hop({ requestBody: { amount: 1, fee: 5 } })),
  };
  const rounds = [1, 2].map(() => ({ ...both, control: known }));

  test('is held against nobody, and excuses nothing else', () => {
    const { differences, notices } = confirm(rounds, changed);
    expect(differences).toMatchObject([{ what: 'type-changed' }]);
    expect(notices).toMatchObject([{ what: 'value-changed' }]);
    const ids = differences.map(differenceId);
    const held = confirm(rounds, changed, disputed(...ids));
    expect(held.differences).toMatchObject([{ what: 'value-changed' }]);
    expect(held).toMatchObject({ notices: [], aside: ids });
  });

  test('is no failed check, and no doubt', () => {
    const [failed] = run(true).checks;
    const id = checkId('flow', failed as NonNullable<typeof failed>);
    for (const seen of [
      [failing, failing],
      [failing, good, good],
    ]) {
      const { candidate, doubts, aside } = confirm(seen, changed, disputed(id));
      expect(candidate).toMatchObject([{ result: 'passed' }]);
      expect({ doubts, aside }).toEqual({ doubts: [], aside: [id] });
    }
    expect(isWorthReplay([failing], changed, disputed(id))).toBe(false);
  });
});
