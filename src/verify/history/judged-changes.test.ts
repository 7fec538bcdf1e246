import { expect, test } from 'vitest';
import type { Entry } from '../../ledger/index.ts';
import { judgedChanges, profileAgain } from './judged-changes.ts';

/** The ledger after these verdicts on one change. */
function after(...verdicts: string[]): Parameters<typeof profileAgain>[2] {
  const values = new Map();
  const rows = { get: (key: string) => values.get(key), set: values.set.bind(values) };
  for (const [seq, verdict] of verdicts.entries()) {
    const body = { change: 'chg_1', base: 'b1', id: `verdict_${seq}`, verdict };
    judgedChanges.apply(rows as never, { seq, at: seq, body } as unknown as Entry);
  }
  return {
    async *rows<Value>(prefix: string) {
      for (const [key, value] of values) if (key.startsWith(prefix)) yield { key, value } as Value;
    },
  } as unknown as Parameters<typeof profileAgain>[2];
}

test.each<[string, string[], string]>([
  ['was never judged', [], 'quick'],
  ['passed', ['pass'], 'quick'],
  ['was inconclusive', ['inconclusive'], 'quick'],
  ['failed', ['fail'], 'full'],
  ['failed and then passed', ['fail', 'inconclusive', 'pass'], 'full'],
])('the profile follows earlier verdicts: a change that %s', async (_, before, profile) => {
  expect(await profileAgain({ change: 'chg_1', shingles: [] }, 'quick', after(...before))).toBe(
    profile,
  );
  expect(await profileAgain({ change: 'chg_2', shingles: [] }, 'quick', after(...before))).toBe(
    'quick',
  );
});
