import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { redactSecrets } from '../kernel/index.ts';
import { makeDirectory, removeDirectory } from './gate.fixture.ts';
import { gateLimits } from './limits.ts';
import { type KeptOutcome, OutcomeLog } from './outcome-log.ts';

let directory: string;
let file: string;
let log: OutcomeLog;
beforeEach(() => {
  directory = makeDirectory();
  file = join(directory, 'outcomes.jsonl');
  log = new OutcomeLog(file, redactSecrets);
});
afterEach(() => removeDirectory(directory));

const outcome = (proposal: string, value = 'paid'): KeptOutcome => ({
  proposal,
  subject: 'person:ada',
  value,
  actual: new Map([['money', 7]]),
});
/** The bytes of a record besides its value. */
function frameBytes(): number {
  log.keep(outcome('a', ''));
  return statSync(file).size;
}

test('gives the next process what it kept', () => {
  expect(log.keep(outcome('a'))).toBe(true);
  expect(log.keep({ ...outcome('b'), actual: 'as-reserved' })).toBe(true);
  const left = new OutcomeLog(file, redactSecrets).left();
  expect(left.get('a')).toEqual(outcome('a'));
  expect(left.get('b')).toEqual({ ...outcome('b'), actual: 'as-reserved' });
});

test('passes over lines that are no records', () => {
  writeFileSync(file, 'null\n7\n{"proposal":"x"}\n\0\0\n{"proposal":"cut');
  log.keep(outcome('a'));
  expect([...log.left().keys()]).toEqual(['a']);
});

test('keeps no secret, and only for its owner to read', () => {
  log.keep({ ...outcome('a'), value: { password: 'correct-horse-1' } });
  expect(readFileSync(file, 'utf8')).not.toContain('correct-horse');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('keeps an outcome up to its limit', () => {
  const room = gateLimits.keptOutcomeBytesMax - frameBytes();
  expect(log.keep(outcome('b', 'x'.repeat(room)))).toBe(true);
  expect(log.keep(outcome('c', 'x'.repeat(room + 1)))).toBe(false);
});

test('keeps no more than its limit, until everything is on the chain', () => {
  const size = gateLimits.keptOutcomeBytesMax - frameBytes();
  const names = Array.from({ length: 15 }, (_, index) => String.fromCharCode(98 + index));
  for (const name of names) expect(log.keep(outcome(name, 'x'.repeat(size)))).toBe(true);
  const left = gateLimits.outcomeLogBytesMax - statSync(file).size;
  const frame = gateLimits.keptOutcomeBytesMax - size;
  expect(log.keep(outcome('z', 'x'.repeat(left - frame + 1)))).toBe(false);
  expect(log.keep(outcome('z', 'x'.repeat(left - frame)))).toBe(true);
  for (const name of ['a', ...names]) log.release(name);
  expect(log.keep(outcome('y'))).toBe(false);
  log.release('z');
  expect(log.keep(outcome('y'))).toBe(true);
  expect([...log.left().keys()]).toEqual(['y']);
});

test('leaves no file behind once everything is on the chain', async () => {
  log.keep(outcome('a'));
  log.release('a');
  await expect.poll(() => existsSync(file), { timeout: 10_000 }).toBe(false);
  expect(log.keep(outcome('b'))).toBe(true);
  expect([...log.left().keys()]).toEqual(['b']);
});

test('keeps nothing where it can write nothing', () => {
  const nowhere = new OutcomeLog(join(directory, 'missing', 'outcomes.jsonl'), redactSecrets);
  expect(nowhere.keep(outcome('a'))).toBe(false);
  expect(nowhere.left().size).toBe(0);
});
