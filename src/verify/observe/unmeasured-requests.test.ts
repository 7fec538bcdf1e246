import { expect, test } from 'vitest';
import { type Measurable, measureChange } from '../measure/measure-change.ts';
import { tellUntaken } from './unmeasured-requests.ts';

test.each([
  ['of no suite', [], 'full', 0, 0],
  ['in full', ['trading'], 'full', 1, 0],
  ['in quick', ['trading', 'books'], 'quick', 0, 1],
] as const)('what was not kept to be measured is told, %s', (_, suites, profile, open, said) => {
  const { undecided, remarks } = tellUntaken(suites, profile);
  expect([undecided.length, remarks.length]).toEqual([open, said]);
  for (const name of suites) expect([...undecided, ...remarks].join()).toContain(name);
});

test('a change is not known to be well when nothing that suites sent was kept', async () => {
  const rounds = [{ control: { hops: [], untaken: ['trading'] }, candidate: { hops: [] } }];
  const confirmed = { control: [], candidate: [], differences: [] };
  const pair = { control: { data: [] }, candidate: { data: [] } };
  const of = (profile: string): Measurable =>
    ({ request: { profile }, pair, rounds, confirmed }) as never;
  const config = { services: {}, datastores: {}, queues: {}, traffic: { safe: [] } };
  const [full, quick] = await Promise.all(
    ['full', 'quick'].map((profile) => measureChange(of(profile), { config } as never)),
  );
  expect([full?.undecided.length, quick?.undecided.length]).toEqual([1, 0]);
  expect(quick?.remarks.join()).toContain('trading');
});
