import { expect, test } from 'vitest';
import { unconfined } from '../../confinement/unconfined.fixture.ts';
import type { JsonObject } from '../../kernel/index.ts';
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

/** Reaches this verdict without a run, and notes what is appended to the ledger. */
function contextOf(verdict: 'pass' | 'fail', appended: Draft[]) {
  let isOver = false;
  return {
    confinement: unconfined,
    makeIdentifier: () => 'verdict_1',
    clock: { now: () => 0 },
    config: { verify: {} },
    ledger: { rows: async function* () {}, append: async (draft: Draft) => appended.push(draft) },
    lanes: { diffOf: () => (isOver ? Promise.reject(new Error('no git')) : diff) },
    progress: {
      during: async () => {
        isOver = true;
        return verified({ verdict });
      },
    },
  } as unknown as VerifyContext;
}

test('records a failed verdict with its shingles even if git fails after the run', async () => {
  const appended: Draft[] = [];
  const context = contextOf('fail', appended);
  const { verdict } = await verifyAndRecord('person:ada', { patch: 'p', base: 'b1' }, context);
  expect(verdict).toBe('fail');
  const body = { verdict, shingles: shinglesToStore(shinglesOf(diff)) };
  expect(body.shingles).not.toEqual([]);
  expect(appended).toMatchObject([{ kind: 'verdict-reached', body }]);
});

const one = { scenarios: [{}], credentials: {} };
const none = { scenarios: [], credentials: {} };
const unreadable = new Error('no credentials');

test.each<[string, boolean | undefined, (() => Promise<unknown>) | undefined, JsonObject]>([
  ['recorded traffic that was left out', false, async () => one, { recorded: false }],
  ['unreadable traffic', false, () => Promise.reject(unreadable), { recorded: false }],
  ['nothing if nothing is recorded', false, async () => none, {}],
  ['nothing if recording is not allowed', false, undefined, {}],
  ['nothing if recorded traffic is sent', undefined, async () => one, {}],
])('records what a pass says nothing of: %s', async (_, recorded, read, expected) => {
  const appended: Draft[] = [];
  const context = { ...contextOf('pass', appended), recorded: read } as VerifyContext;
  await verifyAndRecord('person:ada', { patch: 'p', base: 'b1', recorded }, context);
  const { recorded: left } = appended[0]?.body ?? {};
  expect(left === undefined ? {} : { recorded: left }).toEqual(expected);
});
