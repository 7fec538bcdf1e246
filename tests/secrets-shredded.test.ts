import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { note, openTestLedger } from '../src/ledger/ledger.fixture.ts';
import { openSqliteStore } from '../src/ledger/sqlite/store.ts';
import { Scratch } from './harness/scratch.ts';
import { seeded } from './harness/seeded.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

/** Told nowhere else, so that finding a piece of it anywhere is finding it. */
const secret = 'the-otter-sleeps-at-noon';
const subject = 'person:ada';

const secrets: Record<string, string> = {
  'one line': secret,
  'a text that spills over many pages': `${secret} `.repeat(20_000),
};

// proves: ledger.shred
test.each(Object.entries(secrets))('%s is in no file after shredding', async (_, text) => {
  await using workspace = new Workspace();
  await workspace.up();
  await addNotes(workspace, text);
  expect(filesWith(workspace, secret)).not.toEqual([]);
  expect(await workspace.run('ledger', 'shred', subject, '--yes')).toMatchObject({
    shredded: true,
  });
  expect(filesWith(workspace, secret)).toEqual([]);
  expect((await workspace.surety('ledger', 'verify')).code).toBe(0);
  await workspace.run('down');
  expect(filesWith(workspace, secret)).toEqual([]);
});

test('a shredded secret is gone even if somebody read during the shredding', async () => {
  await using workspace = new Workspace();
  await workspace.up();
  await addNotes(workspace, secret);
  const reader = await workspace.openReader();
  await workspace.run('ledger', 'shred', subject, '--yes');
  await reader.close();
  await workspace.client().call('POST /v1/notes', { body: { text: 'life goes on' } });
  await until('it is gone', () => filesWith(workspace, secret).length === 0);
  expect((await workspace.surety('ledger', 'verify')).code).toBe(0);
});

test('shredding forty people in any order leaves nothing of them', async () => {
  using scratch = new Scratch();
  const file = scratch.file('ledger.db');
  const ledger = await openTestLedger(openSqliteStore({ file, workspace: 'default' }));
  const random = seeded(7);
  const people = Array.from({ length: 40 }, (_, index) => `p${index}`);
  for (let index = 0; index < 200; index++) {
    const person = people[Math.floor(random() * people.length)] as string;
    // From a few on one page to one on several.
    await ledger.append(note(`<${person}>`.repeat(1 + random() ** 3 * 1_500), `person:${person}`));
  }
  const order = people.map((person) => ({ person, at: random() })).sort((a, b) => a.at - b.at);
  for (const [index, { person }] of order.entries()) {
    await ledger.shred(`person:${person}`, 'person:admin');
    const gone = order.slice(0, index + 1);
    const bytes = Buffer.concat([file, `${file}-wal`].map((path) => readFileSync(path)));
    expect(gone.filter(({ person }) => bytes.includes(`<${person}>`))).toEqual([]);
  }
  await ledger.close();
});

/** Among others, before and after: pages are shared and split. */
async function addNotes(workspace: Workspace, text: string): Promise<void> {
  const client = workspace.client();
  for (let index = 0; index < 40; index++) {
    const isSecret = index % 10 === 5;
    const body = isSecret ? { text, subject } : { text: `harmless ${index} ${'x'.repeat(300)}` };
    await client.call('POST /v1/notes', { body });
  }
}

function filesWith(workspace: Workspace, text: string): string[] {
  const { state } = workspace.place;
  return readdirSync(state, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(state, name);
    return readIfThere(path).includes(text);
  });
}

/** Empty for a directory, and for a file that is gone by now, such as the journal of a lock. */
function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EISDIR', 'ENOENT', 'ENXIO'].includes(code)) throw error;
    return Buffer.alloc(0);
  }
}
