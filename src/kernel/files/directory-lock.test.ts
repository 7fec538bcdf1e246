import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { lockDirectory, readPid } from './directory-lock.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'surety-lock-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A process that takes the lock, tells, and holds it until its input ends. */
const script = (): string => `
  import { lockDirectory } from ${JSON.stringify(new URL('./directory-lock.ts', import.meta.url).href)};
  try {
    lockDirectory(${JSON.stringify(directory)}, 'daemon');
    console.log('locked');
  } catch (error) {
    console.log(error.code);
  }
  process.stdin.resume();
`;

// proves: daemon.single
test('exactly one of several concurrent processes gets the directory lock', async () => {
  const command = ['--input-type=module', '--eval', script()];
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  onTestFinished(async () => {
    for (const { stdin } of children) stdin.end();
    await Promise.all(children.map(async (child) => child.exitCode ?? (await once(child, 'exit'))));
  });
  const results = await Promise.all(
    children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()),
  );
  expect(results.sort()).toEqual([
    'DIRECTORY_IN_USE',
    'DIRECTORY_IN_USE',
    'DIRECTORY_IN_USE',
    'locked',
  ]);
});

test('a refused process learns the pid of the holder, and a released lock can be taken', () => {
  const lock = lockDirectory(directory, 'daemon');
  expect(() => lockDirectory(directory, 'daemon')).toThrow(`pid ${process.pid}`);
  lockDirectory(directory, 'keeper').release();
  lock.release();
  lockDirectory(directory, 'daemon').release();
});

test('a stale pid file does not prevent a directory lock', () => {
  writeFileSync(join(directory, 'daemon.pid'), `${process.ppid}\n`);
  const lock = lockDirectory(directory, 'daemon');
  expect(readPid(directory, 'daemon')).toBe(process.pid);
  lock.release();
});

test('a locked directory gets a .gitignore unless it has one', () => {
  const path = join(directory, '.gitignore');
  lockDirectory(directory, 'daemon').release();
  expect(readFileSync(path, 'utf8')).toBe('*\n');
  writeFileSync(path, '!ledger.db\n');
  lockDirectory(directory, 'daemon').release();
  expect(readFileSync(path, 'utf8')).toBe('!ledger.db\n');
});
