import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSourceFiles } from '../rules/source-files.ts';
import { attemptsElsewhere } from './elsewhere.ts';
import { attempts } from './surfaces.ts';

const everyAttempt = [...attempts, ...attemptsElsewhere];

test('at least 150 attempts are made here, each under a name of its own', () => {
  const names = everyAttempt.map(({ attacker, tries }) => `${attacker} ${tries}`);
  expect(attempts.length).toBeGreaterThanOrEqual(150);
  expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
});

test.each(attemptsElsewhere)('$file makes the attempt: $attacker $tries', ({ file, title }) => {
  expect(readFileSync(file, 'utf8').replaceAll("\\'", "'")).toContain(title);
});

test('refusals name faults that exist, and entries of kinds that exist', () => {
  const source = readSourceFiles()
    .filter(({ path }) => path.startsWith('src/') && !path.includes('.test.'))
    .map(({ text }) => text)
    .join('\n');
  const codes = everyAttempt.flatMap(
    ({ refusal }) => refusal.match(/[A-Z]+(?:_[A-Z]+)*_[A-Z]+/g) ?? [],
  );
  const kinds = everyAttempt.flatMap(({ entry }) => (entry === undefined ? [] : [`'${entry}'`]));
  const unknown = [...new Set([...codes, ...kinds])].filter((name) => !source.includes(name));
  expect(unknown).toEqual([]);
});
