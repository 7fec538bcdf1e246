import { expect, test } from 'vitest';
import { requirements } from './requirements.ts';
import { checkCitations, checkCitedPoints, checkShownPromises } from './rules/citations.ts';
import { readSourceFiles } from './rules/source-files.ts';

test('every kept requirement is cited by a test, and tests cite only requirements', () => {
  expect(checkCitations(requirements)(readSourceFiles())).toEqual([]);
});

test('every requirement has a unique id and one line of text', () => {
  for (const [id, { promise }] of Object.entries(requirements)) {
    expect(id).toMatch(/^[a-z]+\.[a-z]+(-[a-z]+)*$/);
    expect(promise).toMatch(/^\S.{9,80}[^.]$/);
  }
  const promises = Object.values(requirements).map(({ promise }) => promise);
  expect(new Set(promises).size).toBe(promises.length);
});

const check = checkCitations({
  'ledger.chain': { promise: 'it holds', status: 'kept' },
  'gate.replay': { promise: 'it will hold', status: 'planned' },
});
const proof = { path: 'src/a.contract.ts', text: '  // proves: ledger.chain\n  test();\n' };

test.each<[string, string, string, string[]]>([
  ['what is proven', 'src/a.test.ts', '// proves: ledger.chain\n', []],
  [
    'what nobody requires',
    'src/a.test.ts',
    '\n// proves: ledger.chain, ledger.chian\n',
    ['src/a.test.ts:2  proves ledger.chian, which nobody requires'],
  ],
  [
    'what is planned',
    'tests/a.test.ts',
    '// proves: gate.replay\n',
    ['tests/a.test.ts:1  proves gate.replay, which is planned: now kept? change its status'],
  ],
  ['what is not a test', 'src/a.ts', '// proves: anything\n', []],
  ['what only looks like a proof', 'src/a.test.ts', 'const a = `\n// proves: b`;\n', []],
  ['a page', 'README.md', 'Kept [ledger.chain]; to come [gate.replay].\n', []],
  [
    'a page that cites what nobody requires',
    'docs/a.md',
    'One.\n\nKept [ledger.chian].\n',
    ['docs/a.md:3  cites ledger.chian, which nobody requires'],
  ],
  ['code and files in a page', 'docs/a.md', '`rows[entry.key]` [surety.yaml] [a.b](c.md)\n', []],
])('citations are checked in %s', (_, path, text, expected) => {
  expect(check([proof, { path, text }])).toEqual(expected);
});

test('a kept requirement without a test is reported', () => {
  expect(check([])).toEqual(['ledger.chain  is proven by no test: it holds']);
});

const shown = checkShownPromises('docs/security.md');
const points = checkCitedPoints('SECURITY.md', 'What Surety defends against');

test('every promise of the threat model names tests that prove it', () => {
  expect(shown(readSourceFiles())).toEqual([]);
});

test('SECURITY.md promises only what requirements say', () => {
  expect(points(readSourceFiles())).toEqual([]);
});

test.each<[string, string, string[]]>([
  ['a test that proves it', 'Kept [ledger.chain]. | [a](../src/a.contract.ts)', []],
  ['no test', 'Kept [ledger.chain]. | trust us', ['docs/security.md:4  names no test']],
  [
    'a missing test',
    'Kept. | [b](../src/b.test.ts)',
    ['docs/security.md:4  names src/b.test.ts, which is missing'],
  ],
  [
    'a test of something else',
    'Kept [gate.replay]. | [a](../src/a.contract.ts)',
    ['docs/security.md:4  cites gate.replay, which its tests do not'],
  ],
])('a promise of the threat model with %s is judged', (_, row, expected) => {
  const text = `# A page\n| promise | shown by |\n| --- | --- |\n| ${row} |\n`;
  expect(shown([proof, { path: 'docs/security.md', text }])).toEqual(expected);
});

test('a point of SECURITY.md that cites no requirement is reported', () => {
  const text = '## What Surety defends against\n\n- **A.** Kept\n  [a.b].\n- **B.** Trust us.\n';
  expect(points([{ path: 'SECURITY.md', text: `# S\n${text}\n## Other\n- c\n` }])).toEqual([
    'SECURITY.md:6  cites no requirement',
  ]);
});
