import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import {
  announcedKeys,
  Projections,
  rebuildRows,
  type StoreReader,
  verifyLedger,
} from '../src/ledger/index.ts';
import { accounts, moveMoney, note, openTestLedger } from '../src/ledger/ledger.fixture.ts';
import { openSqliteReader, openSqliteStore } from '../src/ledger/sqlite/store.ts';
import { runs } from './harness/deep.ts';
import { Scratch } from './harness/scratch.ts';
import { seeded } from './harness/seeded.ts';

const projections = new Projections([announcedKeys, accounts]);
const flips = runs(100, 5_000);
const pageBytes = 4_096;

// proves: ledger.damage, ledger.pinpoint
test(`verify detects each of ${flips} single-byte flips that changes the ledger`, async () => {
  using scratch = new Scratch();
  const whole = await makeLedger(scratch.file('whole.db'));
  const contents = dump(scratch.file('whole.db'));
  const random = seeded(20_261_115);
  const silent: string[] = [];
  let named = 0;
  for (let index = 0; index < flips; index++) {
    const anywhere = Math.floor(random() * whole.length);
    // Every second one where a page says what is on it.
    const offset = index % 2 ? anywhere : anywhere - (anywhere % pageBytes) + (anywhere % 64);
    const mask = 1 + Math.floor(random() * 255);
    const file = scratch.file(`flipped-${index}.db`);
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(whole.readUInt8(offset) ^ mask, offset);
    writeFileSync(file, flipped);
    if (await isNamed(file)) named++;
    else if (dump(file) !== contents) silent.push(`offset ${offset}, mask ${mask}`);
  }
  expect(silent).toEqual([]);
  // What is left are unused bytes of pages; if there were no others, this would prove nothing.
  expect(named).toBeGreaterThan(flips / 4);
}, 1_200_000);

/** Some 200 entries with everything beside them: contents small and large, shreds, a checkpoint. */
async function makeLedger(file: string): Promise<Buffer> {
  const ledger = await openTestLedger(openSqliteStore({ file, workspace: 'default' }));
  for (let index = 0; index < 95; index++) {
    await ledger.append(
      moveMoney(`account-${index % 40}`, index + 1),
      note(`text ${index} ${'x'.repeat(20 * index)}`, `person:p${index % 7}`),
    );
  }
  await ledger.shred('person:p3', 'person:admin');
  await ledger.close();
  return readFileSync(file);
}

/**
 * By the commands: a ledger that can't be opened is named as surely as one that does not verify.
 */
async function isNamed(file: string): Promise<boolean> {
  let reader: StoreReader | undefined;
  try {
    reader = openSqliteReader({ file, workspace: 'default' });
    const { problem } = await verifyLedger(reader, { trustedKeys: [] });
    return problem !== null || (await rebuildRows(reader, projections)).differences.length > 0;
  } catch {
    return true;
  } finally {
    await reader?.close();
  }
}

/** Every row of every table, read without the help of any index. */
function dump(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = ['entries', 'contents', 'rows', 'checkpoints', 'head'];
    const rows = tables.map((table) =>
      database.prepare(`SELECT * FROM ${table} NOT INDEXED`).all(),
    );
    return JSON.stringify(rows);
  } catch (error) {
    return String(error);
  } finally {
    database.close();
  }
}
