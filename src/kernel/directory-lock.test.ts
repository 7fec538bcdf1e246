import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
  await new Promise((resolve) => setTimeout(resolve, 1500));
`;

// proves: daemon.single
test('of several that come at once exactly one gets the lock', async () => {
  const run = promisify(execFile);
  const tries = Array.from({ length: 4 }, () =>
    run(process.execPath, ['--input-type=module', '--eval', script()]),
  );
  const said = (await Promise.all(tries)).map(({ stdout }) => stdout.trim()).sort();
  expect(said).toEqual(['DIRECTORY_IN_USE', 'DIRECTORY_IN_USE', 'DIRECTORY_IN_USE', 'locked']);
});

test('whoever is refused is told the pid, and a released lock can be taken', () => {
  const lock = lockDirectory(directory, 'daemon');
  expect(() => lockDirectory(directory, 'daemon')).toThrow(`pid ${process.pid}`);
  lockDirectory(directory, 'keeper').release();
  lock.release();
  lockDirectory(directory, 'daemon').release();
});

test('a pid file that somebody left behind does not matter', () => {
  writeFileSync(join(directory, 'daemon.pid'), `${process.ppid}\n`);
  const lock = lockDirectory(directory, 'daemon');
  expect(readPid(directory, 'daemon')).toBe(process.pid);
  lock.release();
});

test('what lies in it is kept out of git, unless somebody decided otherwise', () => {
  const path = join(directory, '.gitignore');
  lockDirectory(directory, 'daemon').release();
  expect(readFileSync(path, 'utf8')).toBe('*\n');
  writeFileSync(path, '!ledger.db\n');
  lockDirectory(directory, 'daemon').release();
  expect(readFileSync(path, 'utf8')).toBe('!ledger.db\n');
});
