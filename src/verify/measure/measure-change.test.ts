import { expect, test } from 'vitest';
import { measureChange, reportUnkept, whyUnmeasured } from './measure-change.ts';

test.each([
  ['no suite', [], 'full', 0, 0],
  ['full profile', ['trading'], 'full', 1, 0],
  ['quick profile', ['trading', 'books'], 'quick', 0, 1],
] as const)(
  'reports suites whose requests were dropped and not measured: %s',
  (_, suites, profile, open, said) => {
    const { undecided, remarks } = reportUnkept(suites, profile);
    expect([undecided.length, remarks.length]).toEqual([open, said]);
    for (const name of suites) expect([...undecided, ...remarks].join()).toContain(name);
  },
);

test('full leaves a change undecided, and quick does not, if all requests were dropped', async () => {
  const rounds = [{ control: { hops: [], untaken: ['trading'] }, candidate: { hops: [] } }];
  const confirmation = { control: [], candidate: [], differences: [] };
  const pair = { control: { data: [] }, candidate: { data: [] } };
  const of = (profile: string) =>
    ({
      plan: { profile, changed: [] },
      request: {},
      pair,
      observations: { compared: { rounds } },
      confirmation,
    }) as never;
  const config = { services: {}, datastores: {}, queues: {}, traffic: { safe: [] } };
  const [full, quick] = await Promise.all(
    ['full', 'quick'].map((profile) => measureChange(of(profile), { config } as never)),
  );
  expect([full?.undecided.length, quick?.undecided.length]).toEqual([1, 0]);
  expect(quick?.remarks.join()).toContain('trading');
});

test.each([
  ['passed', 'passed', null],
  ['passed', 'failed', 'the change already fails'],
  ['failed', 'failed', 'a suite fails on the baseline'],
  ['passed', 'broken', 'a suite could not be run'],
] as const)('says why nothing is measured: control %s, candidate %s', (control, candidate, why) => {
  const run = (result: typeof control | typeof candidate) => [
    { suite: 'trading', result, checks: [], reason: null },
  ];
  const confirmation = { differences: [], notices: [], doubts: [] };
  expect(whyUnmeasured({ ...confirmation, control: run(control), candidate: run(candidate) })).toBe(
    why,
  );
});
