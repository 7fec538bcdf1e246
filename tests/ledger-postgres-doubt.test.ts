import { expect, test } from 'vitest';
import { openTestLedger } from '../src/ledger/ledger.fixture.ts';
import { openPostgresStore } from '../src/ledger/postgres/store.ts';
import { expectKept, faultCounts, inProcess, sendAll } from './harness/outcomes.ts';
import { type Cut, CuttingRelay } from './harness/postgres/cutting-relay.ts';
import { freshDatabase } from './harness/postgres/fresh-database.ts';
import { postgresLedger } from './harness/postgres/postgres-ledger.ts';
import { expectSound } from './harness/sound-ledger.ts';

const url = await freshDatabase();
const texts = Array.from({ length: 200 }, (_, index) => `note ${index}`);

const cuts: readonly [what: string, cut: Cut, answer: Record<string, number>][] = [
  ['took place, though nobody heard of it, is acknowledged', 'after', {}],
  ['takes place while we ask about it is acknowledged', 'late', {}],
  [
    'never reached the server is refused, and not on the chain',
    'before',
    { STORE_UNAVAILABLE: 200 },
  ],
  ['cannot be checked afterwards is reported as in doubt', 'gone', { LEDGER_IN_DOUBT: 200 }],
];

// proves: ledger.postgres-away
test.each(cuts)('a COMMIT that %s', async (_, cut, answer) => {
  const setup = await postgresLedger(url);
  await using relay = await CuttingRelay.open(url);
  const ledger = await openTestLedger(
    await openPostgresStore({ url: relay.url, workspace: 'default' }),
  );
  relay.cutNext(cut);
  const sent = await sendAll(texts, inProcess(ledger));
  expect(relay.cutsLeft).toBe(0);
  expect(faultCounts(sent)).toEqual(answer);
  expectKept(sent, await expectSound(setup.openReader));

  relay.letThrough();
  const more = await sendAll(['one more'], inProcess(ledger));
  expect(faultCounts(more)).toEqual({});
  await ledger.close();
  expectKept(sent, await expectSound(setup.openReader));
});
