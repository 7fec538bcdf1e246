import { describe, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import type { Dispute, SuiteRun } from '../api-schema.ts';
import { checkId, differenceId } from '../judge/finding-id.ts';
import type { ObservedTest } from '../observe/observe-rounds.ts';
import type { Round, RoundSide } from '../observe/round.ts';
import { ComparedRounds } from './compared-rounds.ts';
import { intendedBy, whyTestProvesNothing } from './confirm.ts';
import { type Confirmation, confirmRounds, needsAnotherRound } from './confirmation.ts';
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

const side = (amount: number | string, status = 200, suite = run(false)): RoundSide => ({
  runs: [suite],
  hops: [1, 2, 3].map(() => hop({ requestBody: { amount }, status })),
  lastHop: 0,
});

const round = (candidate: RoundSide, control: RoundSide = side(1)): Round => ({
  control,
  candidate,
});
const good = round(side(1));
const drifted = round(side('1'));
const failing = round(side(1, 200, run(true)));
const erring = round(side(1, 500));

const changed = ['pricing'];

async function compare(
  rounds: readonly Round[],
  services: readonly string[],
  disputes: readonly Dispute[] = [],
): Promise<ComparedRounds> {
  const compared = new ComparedRounds(services, disputes);
  for (const one of rounds) await compared.add(one);
  return compared;
}

const confirm = async (...given: Parameters<typeof compare>): Promise<Confirmation> =>
  confirmRounds(await compare(...given));
const isRepeated = async (...given: Parameters<typeof compare>): Promise<boolean> =>
  needsAnotherRound(await compare(...given));

describe('confirmation', () => {
  test.each<[string, Round[], { differences: number; doubts: number; failed: number }]>([
    ['finds nothing where versions agree', [good], { differences: 0, doubts: 0, failed: 0 }],
    [
      'needs a difference in two rounds',
      [drifted, drifted],
      { differences: 1, doubts: 0, failed: 0 },
    ],
    [
      'needs a difference in two of three rounds',
      [drifted, good, drifted],
      { differences: 1, doubts: 0, failed: 0 },
    ],
    [
      'ignores a difference of one round',
      [good, drifted],
      { differences: 0, doubts: 0, failed: 0 },
    ],
    [
      'doubts because of an error in one round',
      [erring, good, good],
      { differences: 0, doubts: 1, failed: 0 },
    ],
    [
      'fails a check that fails in two rounds',
      [failing, failing],
      { differences: 0, doubts: 0, failed: 1 },
    ],
    [
      'doubts because of a check that fails in one round',
      [failing, good, good],
      { differences: 0, doubts: 1, failed: 0 },
    ],
  ])('%s', async (_, rounds, expected) => {
    const { differences, doubts, candidate } = await confirm(rounds, changed);
    const failed = candidate.filter(({ result }) => result === 'failed').length;
    expect({ differences: differences.length, doubts: doubts.length, failed }).toEqual(expected);
  });

  test('doubts because of an effect that one request had twice in one round', async () => {
    const charges = (count: number): RoundSide => ({
      ...side(1),
      hops: [1, 2, 3].flatMap(() => request(Array(count).fill({ requestBody: { amount: 1 } }))),
    });
    const plain = round(charges(1), charges(1));
    const twice = round(charges(2), charges(1));
    const once = await confirm([twice, plain, plain], ['orders']);
    expect(once).toMatchObject({
      differences: [],
      doubts: [
        expect.stringContaining('the same effect 2 times for one request, in one round only'),
      ],
    });
    expect((await confirm([plain, plain, plain], ['orders'])).doubts).toEqual([]);
  });

  test('treats differences between two rounds of the control as noise', async () => {
    const noisy = [drifted, drifted, round(side(1), side('1'))];
    expect((await confirm(noisy, changed)).differences).toEqual([]);
  });

  test('distinguishes several checks of the same name', async () => {
    const twice: SuiteRun = { ...run(true), checks: [...run(false).checks, ...run(true).checks] };
    const rounds = [round(side(1, 200, twice)), round(side(1, 200, twice))];
    const { candidate } = await confirm(rounds, changed);
    expect(candidate[0]?.checks.map(({ passed }) => passed)).toEqual([true, false]);
  });

  test('fails the control for a check that fails there even once', async () => {
    const bothFail = round(failing.candidate, failing.candidate);
    const { control } = await confirm([bothFail, failing], changed);
    expect(control[0]?.result).toBe('failed');
  });

  test('lists doubts by how decisive they are, in whatever order calls were recorded', async () => {
    const recorded = (hops: readonly Hop[], suite = run(false)): RoundSide => ({
      runs: [suite],
      hops: [...hops, ...hops, ...hops],
      lastHop: 0,
    });
    const fine = ['/a', '/b', '/c'].map((path) => hop({ path, responseBody: { amount: 1 } }));
    const [failedA, failedB, changedC] = [
      hop({ path: '/a', status: 500, responseBody: { amount: 1 } }),
      hop({ path: '/b', status: 500, responseBody: { amount: 1 } }),
      hop({ path: '/c', responseBody: { amount: 2 } }),
    ];
    for (const once of [
      [failedA, failedB, changedC],
      [changedC, failedB, failedA],
    ]) {
      const candidates = [
        recorded(once, run(true)),
        recorded([...fine.slice(0, 2), changedC]),
        recorded(fine),
      ];
      const rounds = candidates.map((candidate) => round(candidate, recorded(fine)));
      expect((await confirm(rounds, ['validation'])).doubts).toEqual([
        expect.stringContaining('/a had 500'),
        expect.stringContaining('/b had 500'),
        expect.stringContaining('check flow: check 0 failed'),
        expect.stringContaining('/c, response amount was 1'),
      ]);
    }
  });

  test('doubts a suite that runs fewer checks on the candidate in every round', async () => {
    const many = (count: number) => side(1, 200, run(...Array<boolean>(count).fill(false)));
    const fewer = round(many(2), many(5));
    const { doubts } = await confirm([fewer], changed);
    expect(doubts).toEqual([expect.stringContaining('ran 2 checks, 5 on the baseline')]);
    expect(await isRepeated([fewer], changed)).toBe(true);
    const failed = round(side(1, 200, run(true)), many(5));
    for (const rounds of [
      [fewer, fewer, round(many(5), many(5))],
      [round(many(5), many(2))],
      [failed, failed],
    ]) {
      expect((await confirm(rounds, changed)).doubts).toEqual([]);
    }
  });
});

describe('another round is run', () => {
  test.each<[string, Round[], boolean]>([
    ['not when versions agree', [good], false],
    ['when something differs', [drifted], true],
    ['when a check failed', [failing], true],
    ['not when two rounds agree', [drifted, drifted], false],
    ['when only one of two rounds had an error', [erring, good], true],
    ['not when a suite is broken', [round(side('1', 200, broken))], false],
    ['not when the control also fails', [round(side('1'), failing.candidate)], false],
  ])('%s', async (_, rounds, expected) => {
    expect(await isRepeated(rounds, changed)).toBe(expected);
  });
});

describe('a changed value', () => {
  const other = round(side(2));

  const intend = async (rounds: readonly Round[], ...tests: ObservedTest[]) =>
    confirmRounds(await compare(rounds, changed), intendedBy(tests));
  const tested = { control: run(true), candidate: run(false), hops: side(2).hops };

  test('is a finding, unless a test of the change fails on the baseline and reaches it', async () => {
    const finding = [{ what: 'value-changed' }];
    const twice = [other, other];
    expect((await intend(twice)).differences).toMatchObject(finding);
    const intended = await intend(twice, tested);
    expect(intended.differences).toEqual([]);
    expect(intended.notices).toMatchObject([{ what: 'value-changed' }]);
    expect((await intend([drifted, drifted], tested)).differences).toHaveLength(1);
    const elsewhere = { ...tested, hops: [hop({ path: '/elsewhere' })] };
    expect((await intend(twice, elsewhere)).differences).toMatchObject(finding);
    const passing = { ...tested, control: run(false) };
    expect((await intend(twice, passing)).differences).toMatchObject(finding);
    const reason = expect.stringContaining('does not fail on the baseline');
    expect(whyTestProvesNothing(passing)).toEqual([reason]);
    expect([...whyTestProvesNothing(tested), ...whyTestProvesNothing(undefined)]).toEqual([]);
  });

  const accepted = (status: number): Round[] => Array(2).fill(round(side(1), side(1, status)));

  test('is intended if the test of the change sends what was refused', async () => {
    const lost = await intend(accepted(422));
    expect(lost.differences).toMatchObject([{ class: 'status', what: 'refusal-lost' }]);
    const test = { ...tested, hops: [hop()] };
    expect((await intend(accepted(422), test)).differences).toEqual([]);
    const admitted = await intend(accepted(403), test);
    expect(admitted.differences).toMatchObject([{ class: 'security' }]);
  });

  test('elsewhere is a finding beside a refusal that the test is meant to lose', async () => {
    const fees = (amount: number, status: number): RoundSide => {
      const { hops, ...rest } = side(1, status);
      const fee = hop({ path: '/fees', responseBody: { fee: amount } });
      return { ...rest, hops: [...hops, ...Array(4).fill(fee)] };
    };
    const rounds = Array(4).fill(round(fees(99, 200), fees(12, 422)));
    const test = { ...tested, hops: [hop()] };
    const { differences } = await intend(rounds, test);
    expect(differences).toMatchObject([
      { what: 'value-changed', hop: expect.stringContaining('/fees') },
    ]);
  });

  test('is noise where the value also differs between rounds of the control', async () => {
    const noisy = [round(side(2), side(1)), round(side(4), side(3))];
    expect((await confirm(noisy, changed)).differences).toEqual([]);
  });

  test('is confirmed by three rounds, a boolean that is rare in answers by five', async () => {
    const truth = (is: boolean, times: number): RoundSide => ({
      runs: [run(false)],
      hops: Array.from({ length: times }, () => hop({ responseBody: { isHigh: is } })),
      lastHop: 0,
    });
    const flipped = round(truth(false, 1), truth(true, 1));
    const often = round(truth(false, 4), truth(true, 4));
    const times = (one: Round, count: number): Round[] => Array<Round>(count).fill(one);
    const repeated = (one: Round, services = ['validation']): Promise<boolean[]> =>
      Promise.all([1, 2, 3, 4, 5].map((count) => isRepeated(times(one, count), services)));
    expect(await repeated(other, changed)).toEqual([true, true, false, false, false]);
    expect(await repeated(flipped)).toEqual([true, true, true, true, false]);
    expect(await repeated(often)).toEqual([true, true, false, false, false]);
    expect((await confirm(times(flipped, 5), ['validation'])).differences).toHaveLength(1);
  });

  test('is only explained by another difference that is confirmed', async () => {
    const fee = (value: number, ...calls: Partial<Hop>[]): RoundSide => ({
      ...side(1),
      hops: request(calls, { responseBody: { fee: value } }),
    });
    const lasting = [1, 2, 3].map(() => round(fee(0), fee(5)));
    const strayed = [...lasting.slice(1), round(fee(0, { to: 'audit' }), fee(5))];
    for (const rounds of [lasting, strayed]) {
      const { differences } = await confirm(rounds, ['orders']);
      expect(differences).toMatchObject([{ what: 'value-changed' }]);
    }
  });

  test('in two of three rounds is a doubt, in one of three it is ignored', async () => {
    const rounds = [other, other, good];
    expect(await confirm(rounds, changed)).toMatchObject({
      differences: [],
      doubts: [expect.stringContaining('amount')],
    });
    const once = await confirm([other, good, good], changed);
    expect(once).toMatchObject({ differences: [], doubts: [] });
    expect(await isRepeated(rounds, changed)).toBe(false);
  });
});

describe('a disputed', () => {
  const disputesOf = (...ids: string[]): Dispute[] =>
    ids.map((finding) => ({ finding, owner: 'ada', reason: 'no', until: 9 }));

  test('difference is a marked notice, and explains no other difference', async () => {
    const sideWith = (amount: number | string, fee: number): RoundSide => ({
      ...side(1),
      hops: [1, 2, 3].map(() => hop({ requestBody: { amount, fee } })),
    });
    const rounds = [1, 2].map(() => round(sideWith('1', 0), sideWith(1, 5)));
    const { differences, notices } = await confirm(rounds, changed);
    expect(differences).toMatchObject([{ what: 'type-changed' }]);
    expect(notices).toMatchObject([{ what: 'value-changed' }]);
    const disputes = disputesOf(...differences.map(differenceId));
    const marked = await confirm(rounds, changed, disputes);
    expect(marked.differences).toMatchObject([{ what: 'value-changed' }]);
    expect(marked.notices).toMatchObject([{ what: 'type-changed', disputed: disputes[0] }]);
  });

  test('check does not fail its suite, and is no doubt', async () => {
    const [failed] = run(true).checks;
    const [dispute] = disputesOf(checkId('flow', failed as NonNullable<typeof failed>));
    const disputes = dispute ? [dispute] : [];
    for (const rounds of [
      [failing, failing],
      [failing, good, good],
    ]) {
      const { candidate, doubts } = await confirm(rounds, changed, disputes);
      expect(candidate).toMatchObject([{ result: 'passed', checks: [{ disputed: dispute }] }]);
      expect(doubts).toEqual([]);
    }
    expect(await isRepeated([failing], changed, disputes)).toBe(false);
  });
});
