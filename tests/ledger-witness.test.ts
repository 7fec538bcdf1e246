import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSigningKey } from '../src/kernel/index.ts';
import { signedHeadFile } from '../src/ledger/index.ts';
import { note, openTestLedger } from '../src/ledger/ledger.fixture.ts';
import { openSqliteStore } from '../src/ledger/sqlite/store.ts';
import { startTimeStampService } from './harness/time-stamp-service.ts';
import { Workspace } from './harness/workspace.ts';

let workspace: Workspace;
let outside: string;
beforeEach(async () => {
  workspace = new Workspace();
  outside = mkdtempSync(join(tmpdir(), 'surety-witness-'));
  await append(5);
});
afterEach(async () => {
  await workspace[Symbol.asyncDispose]();
  rmSync(outside, { recursive: true });
});

/** Entries as a daemon of this directory would write and sign them. */
async function append(count: number): Promise<void> {
  const { ledgerFile, keyFile, heads } = workspace.place;
  const ledger = await openTestLedger(
    openSqliteStore({ file: ledgerFile, workspace: 'default', threads: false }),
    {
      key: openSigningKey(keyFile),
      signedHead: signedHeadFile(join(heads, 'default.json')),
      projections: [],
    },
  );
  for (let index = 0; index < count; index++) await ledger.append(note(`note ${index}`));
  await ledger.close();
}

/** As somebody could who can write to the whole state directory: all is made anew, and signed. */
async function rewriteHistory(): Promise<void> {
  const { ledgerFile, heads } = workspace.place;
  for (const ending of ['', '-wal', '-shm']) rmSync(ledgerFile + ending, { force: true });
  rmSync(heads, { recursive: true });
  await append(9);
}

function makeRepository(): string {
  const repository = join(outside, 'repository');
  mkdirSync(repository);
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test'];
  for (const words of [
    ['init', '-q'],
    ['commit', '-q', '--allow-empty', '-m', 'Start'],
  ]) {
    execFileSync('git', ['-C', repository, ...identity, ...words]);
  }
  return repository;
}

// proves: ledger.witness
test.each([
  ['a file', () => ['--file', join(outside, 'heads.jsonl')]],
  ['a git note', () => ['--git', makeRepository()]],
])('%s outside exposes a history that was made anew with the same key', async (_, make) => {
  const words = make();
  const where = words[1] as string;
  const { witnessed } = (await workspace.run('ledger', 'witness', ...words)) as {
    witnessed: { seq: number; hash: string };
  };
  expect(witnessed.seq).toBe(6);
  await append(3);
  await workspace.run('ledger', 'witness', ...words);
  expect(await workspace.run('ledger', 'verify', '--witness', where)).toMatchObject({ ok: true });

  await rewriteHistory();
  // The directory itself knows nothing of it any more.
  expect(await workspace.run('ledger', 'verify')).toMatchObject({ ok: true });
  const found = await workspace.surety('ledger', 'verify', '--witness', where);
  expect([found.code, found.value.problem]).toEqual([
    1,
    expect.objectContaining({ seq: 6, kind: 'rewritten' }),
  ]);
  const refused = await workspace.surety('ledger', 'witness', ...words);
  expect([refused.code, refused.value.witnessed]).toEqual([1, null]);
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

// proves: ledger.witness
test.runIf(hasOpenssl)('a time-stamp service confirms a statement, and no other', async () => {
  await using service = await startTimeStampService(outside);
  const file = join(outside, 'heads.jsonl');
  const words = ['--file', file, '--tsa', service.url, '--ca', service.certificate];
  await workspace.run('ledger', 'witness', ...words);
  const verify = () =>
    workspace.surety('ledger', 'verify', '--witness', file, '--ca', service.certificate);
  expect((await verify()).value).toMatchObject({ ok: true });

  const line = JSON.parse(readFileSync(file, 'utf8'));
  expect(line.timeStamp.url).toBe(service.url);
  await append(2);
  await workspace.run('ledger', 'witness', '--file', file);
  const [, later] = readFileSync(file, 'utf8').trim().split('\n');
  const { timeStamp } = line;
  writeFileSync(file, `${JSON.stringify({ ...JSON.parse(later as string), timeStamp })}\n`);
  const moved = await verify();
  expect(moved.value.fault).toMatchObject({
    code: 'WITNESS_UNUSABLE',
    message: expect.stringContaining('openssl says'),
  });
});

test('a statement with a changed hash or signature is refused', async () => {
  const file = join(outside, 'heads.jsonl');
  await workspace.run('ledger', 'witness', '--file', file);
  const line = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, `${JSON.stringify({ ...line, hash: 'f'.repeat(64) })}\n`);
  const { value } = await workspace.surety('ledger', 'verify', '--witness', file);
  expect(value.fault?.message).toContain('no valid signature');
  writeFileSync(file, 'hello\n');
  const other = await workspace.surety('ledger', 'verify', '--witness', file);
  expect(other.value.fault?.message).toContain('line 1 is no statement');
});

test.each([
  ['no witness', [], 'name a witness'],
  ['a service without a file', ['--git', '.', '--tsa', 'http://127.0.0.1:1/'], '--tsa needs'],
])('%s is a mistake in the command', async (_, words, says) => {
  const { value } = await workspace.surety('ledger', 'witness', ...words);
  expect(value.fault).toMatchObject({ code: 'USAGE', message: expect.stringContaining(says) });
});

test.runIf(hasOpenssl)(
  'a service that is away, and a directory that is no repository, are named',
  async () => {
    const file = join(outside, 'heads.jsonl');
    const words = ['--file', file, '--tsa', 'http://127.0.0.1:1/', '--ca', '/dev/null'];
    const away = await workspace.surety('ledger', 'witness', ...words);
    expect(away.value.fault?.code).toBe('WITNESS_UNUSABLE');
    const bare = await workspace.surety('ledger', 'witness', '--git', outside);
    expect(bare.value.fault?.message).toContain('not a git repository');
  },
);

// proves: ledger.proof
test('a proof shows that one head continues another, without the bodies', async () => {
  const anchorAt = async (): Promise<string> => {
    const { head } = (await workspace.run('ledger', 'verify')) as {
      head: { seq: number; hash: string };
    };
    return `${head.seq}:${head.hash}`;
  };
  const from = await anchorAt();
  await append(4);
  const to = await anchorAt();
  const lines = await proofLines(from, to);
  expect(lines).toHaveLength(4);
  expect(lines.join()).not.toContain('body');
  const file = join(outside, 'proof.jsonl');
  const check = async (text: string): Promise<number> => {
    writeFileSync(file, text);
    const words = ['--check', file, '--from', from, '--to', to];
    return (await workspace.surety('ledger', 'proof', ...words)).code;
  };
  expect(await check(lines.join('\n'))).toBe(0);
  expect(await check(lines.slice(1).join('\n'))).toBe(1);
  expect(await check(lines.slice(0, 3).join('\n'))).toBe(1);
  expect(await check(lines.join('\n').replace('person:tester', 'person:other'))).toBe(1);
  expect(await check('{}')).toBe(2);
});

async function proofLines(from: string, to: string): Promise<string[]> {
  const reader = await workspace.openReader();
  const { proveConsistency } = await import('../src/ledger/index.ts');
  const lines: string[] = [];
  const [first, last] = [from, to].map((anchor) => ({ seq: Number.parseInt(anchor, 10) }));
  for await (const line of proveConsistency(
    reader,
    first as { seq: number },
    last as { seq: number },
  ))
    lines.push(JSON.stringify(line));
  await reader.close();
  return lines;
}
