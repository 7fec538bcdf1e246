import { expect, test } from 'vitest';
import { unconfined } from '../../confinement/unconfined.fixture.ts';
import type { Draft } from '../../ledger/index.ts';
import { shinglesOf, shinglesToStore } from '../history/failed-changes.ts';
import { verified } from '../report/verified.fixture.ts';
import type { VerifyContext } from './context.ts';
import { verifyAndRecord } from './verify.ts';

const diff = `diff --git a/src/pay.ts b/src/pay.ts
--- a/src/pay.ts
+++ b/src/pay.ts
@@ -1 +1 @@
-return charge(total);
+return charge(String(total));
`;

test('records a failed verdict with its shingles even if git fails after the run', async () => {
  let isOver = false;
  const appended: Draft[] = [];
  const context = {
    confinement: unconfined,
    makeIdentifier: () => 'verdict_1',
    clock: { now: () => 0 },
    ledger: { rows: async function* () {}, append: async (draft: Draft) => appended.push(draft) },
    lanes: { diffOf: () => (isOver ? Promise.reject(new Error('no git')) : diff) },
    progress: {
      during: async () => {
        isOver = true;
        return verified({ verdict: 'fail' });
      },
    },
  } as unknown as VerifyContext;
  const { verdict } = await verifyAndRecord('person:ada', { patch: 'p', base: 'b1' }, context);
  expect(verdict).toBe('fail');
  const body = { verdict, shingles: shinglesToStore(shinglesOf(diff)) };
  expect(body.shingles).not.toEqual([]);
  expect(appended).toMatchObject([{ kind: 'verdict-reached', body }]);
});
