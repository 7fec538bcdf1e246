import {
  chmodSync,
  closeSync,
  cpSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Workspace } from './harness/workspace.ts';

let workspace: Workspace;
let sound: Buffer;

/** One ledger with some entries, closed; each test damages it and the next one gets it whole. */
beforeAll(async () => {
  workspace = new Workspace();
  await workspace.up();
  const client = workspace.client();
  for (let index = 0; index < 20; index++) {
    await client.call('POST /v1/notes', { body: { text: `note ${index} ${'x'.repeat(500)}` } });
  }
  await workspace.run('down');
  sound = readFileSync(workspace.place.ledgerFile);
});
afterAll(() => workspace[Symbol.asyncDispose]());

function restore(): void {
  const { ledgerFile, keyFile } = workspace.place;
  removeLedger();
  writeFileSync(ledgerFile, sound);
  chmodSync(keyFile, 0o600);
}

function change(sql: string): (file: string) => void {
  return (file) => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };
}

const refusals: readonly [
  what: string,
  damage: (file: string) => void,
  code: string,
  says: string,
][] = [
  [
    'has garbage for a header',
    (file) => overwrite(file, 0, 100),
    'LEDGER_CORRUPT',
    'not a database',
  ],
  [
    'is another kind of file',
    (file) => writeFileSync(file, 'hello\n'),
    'LEDGER_CORRUPT',
    'not a database',
  ],
  [
    'was cut to half',
    (file) => truncateSync(file, statSync(file).size / 2),
    'LEDGER_CORRUPT',
    'malformed',
  ],
  [
    'was cut to nothing',
    (file) => truncateSync(file, 0),
    'LEDGER_CORRUPT',
    'The ledger cannot be read',
  ],
  [
    'was written by a newer Surety',
    change('PRAGMA user_version = 99'),
    'LEDGER_NEWER',
    'version 99',
  ],
  [
    'is another workspace’s',
    change("UPDATE head SET workspace = 'shop'"),
    'LEDGER_OTHER_WORKSPACE',
    '"shop"',
  ],
];

// proves: ledger.damage, ledger.schema
test.each(refusals)(
  'a ledger that %s is refused and left unchanged',
  async (_, damage, code, says) => {
    restore();
    damage(workspace.place.ledgerFile);
    const before = readFileSync(workspace.place.ledgerFile);
    const commands = ['ledger verify', 'ledger rebuild', 'up'];
    const answers = commands.map((command) => workspace.surety(...command.split(' ')));
    for (const { code: exit, value } of await Promise.all(answers)) {
      expect([exit, value.fault?.code]).toEqual([3, code]);
      expect(value.fault?.message).toContain(says);
    }
    expect(readFileSync(workspace.place.ledgerFile).equals(before)).toBe(true);
  },
);

// proves: ledger.pinpoint
test('verify names the entry whose bytes were changed in the middle of a page', async () => {
  restore();
  const { ledgerFile } = workspace.place;
  // The time, hash and actor of an entry stand around its kind.
  overwrite(ledgerFile, sound.lastIndexOf('note-added'), 4);
  const { code, value } = await workspace.surety('ledger', 'verify');
  expect(code).toBe(1);
  expect(value.problem).toMatchObject({ kind: 'edited' });
  expect(value.entries).toBeGreaterThan(0);
});

test('a signing key that is invalid or readable by others is refused', async () => {
  restore();
  const { keyFile } = workspace.place;
  chmodSync(keyFile, 0o644);
  const open = await workspace.surety('up');
  expect([open.code, open.value.fault?.code]).toEqual([3, 'FILE_NOT_PRIVATE']);
  expect(open.value.fault?.remedy).toContain(`chmod 600 ${keyFile}`);

  cpSync(keyFile, `${keyFile}.kept`);
  writeFileSync(keyFile, 'not a key', { mode: 0o600 });
  chmodSync(keyFile, 0o600);
  const broken = await workspace.surety('up');
  cpSync(`${keyFile}.kept`, keyFile);
  expect([broken.code, broken.value.fault?.code]).toEqual([3, 'KEY_UNREADABLE']);
});

test('an empty file becomes a new ledger', async () => {
  await using other = new Workspace();
  writeFileSync(other.place.ledgerFile, '');
  expect((await other.up()).ledger.head.seq).toBeGreaterThan(0);
});

test('a restored ledger continues at its last entry', async () => {
  restore();
  const { ledger } = await workspace.up();
  expect(ledger.head.seq).toBeGreaterThan(60);
  expect((await workspace.surety('ledger', 'verify')).code).toBe(0);
  await workspace.run('down');
});

// proves: ledger.signed-head, ledger.acknowledge
test.each([
  ['an older copy', restore, 'it ends at entry'],
  ['no database at all', removeLedger, 'is missing, though it had entries'],
])('%s needs an acknowledgement by the owner', async (_, exchange, says) => {
  exchange();
  const refused = await workspace.surety('up');
  expect([refused.code, refused.value.fault?.code]).toEqual([3, 'LEDGER_DIVERGED']);
  expect(refused.value.fault?.message).toContain(says);
  expect(refused.value.fault?.remedy).toContain('surety ledger acknowledge');
  const { checks } = (await workspace.surety('doctor')).value as { checks: { name: string }[] };
  const ledger = checks.find(({ name }) => name === 'ledger');
  expect(ledger).toMatchObject({ level: 'bad', detail: expect.stringContaining(says) });
  const status = await workspace.surety('status');
  expect(status.value).toMatchObject({ running: false, loss: expect.stringContaining(says) });

  const shown = await workspace.run('ledger', 'acknowledge');
  expect(shown).toMatchObject({ acknowledged: false, loss: expect.stringContaining(says) });
  const unexplained = await workspace.surety('ledger', 'acknowledge', '--yes');
  expect(unexplained.value.fault?.code).toBe('USAGE');
  const words = ['--yes', '--reason', 'the disk failed'];
  const { entry } = await workspace.run('ledger', 'acknowledge', ...words);
  const { value } = await workspace.surety('ledger', 'show', String(entry));
  expect(value).toMatchObject({
    entry: { kind: 'history-acknowledged', actor: expect.stringMatching(/^person:/) },
    contents: [{ name: 'reason', value: 'the disk failed' }],
  });
  await workspace.up();
  await workspace.run('down');
  const verified = await workspace.run('ledger', 'verify');
  expect(verified).toMatchObject({ ok: true, acknowledged: [entry] });
  expect(await workspace.run('ledger', 'acknowledge')).toMatchObject({ loss: null });
});

function removeLedger(): void {
  for (const ending of ['', '-wal', '-shm']) {
    rmSync(workspace.place.ledgerFile + ending, { force: true });
  }
}

function overwrite(file: string, offset: number, bytes: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(bytes, 0xa5), 0, bytes, offset);
  closeSync(descriptor);
}
