import { describe, expect, test } from 'vitest';
import { generatedPages } from '../scripts/docs.ts';
import { limitTables, readMeanings } from '../scripts/documents/limit-tables.ts';
import { commands } from '../src/cli/commands.ts';
import { faults } from '../src/kernel/index.ts';
import {
  everyTestAsserts,
  limitsAreTested,
  noConsole,
  noFocusedTest,
  noOtherClock,
  noOtherRandomness,
  noSilentSkip,
  type Rule,
  sharedLimitsAreInTables,
} from './rules/code-rules.ts';
import {
  everyFaultIsRaised,
  faultsNameKnownCommands,
  faultsNameShippedFiles,
} from './rules/fault-rules.ts';
import {
  decisionsAreComplete,
  decisionsAreListed,
  decisionsAreNumbered,
  dependenciesAreDecided,
  isGenerated,
  localLinksResolve,
  pagesAreListed,
} from './rules/markdown-rules.ts';
import { typeNamesAreUnique } from './rules/name-rules.ts';
import {
  checkFileSizes,
  checkFolderSizes,
  checkFunctionSizes,
  type Exceptions,
  findFunctions,
} from './rules/size-rules.ts';
import { readSourceFiles } from './rules/source-files.ts';
import {
  noLicenceHeader,
  noLongComment,
  noMachine,
  noRegistry,
  noResolved,
  noTab,
  noUnfinished,
  noVagueName,
  oneNewlineAtEnd,
} from './rules/text-rules.ts';

/** Every file that may be long, with so many lines. */
const excepted = (lines: number): Record<string, string> =>
  Object.fromEntries(Object.keys(longFiles).map((path) => [path, 'a;\n'.repeat(lines)]));

/** Why each of these may be longer than the rest. One that has become short must go from here. */
const longFiles: Exceptions = {
  'src/kernel/faults.ts': 'a table: one place for every fault that can leave Surety',
  'tests/requirements.ts': 'a table: one place for every promise that a test proves',
  'src/ledger/ledger.contract.ts': 'one promise after the other, told to every store',
};
const longFunctions: Exceptions = {};
const files = readSourceFiles();

/** Texts by path, as a rule gets them. */
type Tree = Readonly<Record<string, string>>;

interface Case {
  readonly rule: Rule;
  /** Each of these trees breaks the rule, so that we see that it can be broken. */
  readonly bad: readonly Tree[];
  readonly good?: readonly Tree[];
}

const rules: Readonly<Record<string, Case>> = {
  'the time is read in one place': {
    rule: noOtherClock,
    bad: [
      { 'src/a.ts': 'const at = Date.now();\n' },
      { 'src/a.ts': 'const now = Date.now;\n' },
      { 'src/a.ts': 'const at = new Date();\n' },
    ],
    good: [
      { 'src/a.ts': '// not Date.now()\nconst at = new Date(0);\n' },
      { 'src/kernel/clock.ts': 'Date.now();\n', 'scripts/a.ts': 'Date.now();\n' },
      { 'src/a.test.ts': 'Date.now();\n' },
    ],
  },
  'randomness comes from one place': {
    rule: noOtherRandomness,
    bad: [{ 'src/a.ts': 'Math.random();\n' }, { 'src/a.test.ts': '[].sort(Math.random);\n' }],
    good: [{ 'benchmarks/a.ts': 'Math.random();\n' }],
  },
  'nothing is printed past the outputs': {
    rule: noConsole,
    bad: [{ 'src/a.ts': 'console.log(1);\n' }],
    good: [{ 'src/a.ts': `const consoleUrl = 'console.log';\n` }],
  },
  'every test is run': {
    rule: noFocusedTest,
    bad: [
      { 'src/a.test.ts': `test.only('x', () => {});\n` },
      { 'tests/a.test.ts': `describe.todo('x');\n` },
      { 'src/a.contract.ts': `it.each.only([])('x');\n` },
    ],
    good: [{ 'src/a.test.ts': `test('.only(', () => list.only);\n` }],
  },
  'whoever skips a test says why': {
    rule: noSilentSkip,
    bad: [{ 'src/a.test.ts': `// x\n\ntest.skip('x', () => {});\n` }],
    good: [
      { 'src/a.test.ts': `// Windows has no such signal.\ntest.skip('x', () => {});\n` },
      { 'src/a.test.ts': `test.skipIf(here)('x', () => {});\n` },
    ],
  },
  'every test asserts something': {
    rule: everyTestAsserts,
    bad: [{ 'src/a.test.ts': `test('expect(', () => void run());\n` }],
    good: [
      { 'src/a.test.ts': `test('x', () => expect(1).toBe(1));\n` },
      { 'src/a.test.ts': `test('x', () => fc.assert(property));\n` },
      { 'src/a.test.ts': `storeContract('SQLite', setUp);\n` },
    ],
  },
  'nothing is left for later in a comment': {
    rule: noUnfinished,
    bad: [
      { 'src/a.ts': `// ${'TO'}DO later\n` },
      { 'docs/a.md': `${'FIX'}ME: later\n` },
      { 'src/a.sql': `-- ${'XX'}X\n` },
    ],
    good: [{ 'src/a.ts': `mkdtemp('keeper-XXXXXX');\n` }],
  },
  'there are no tabs': {
    rule: noTab,
    bad: [{ 'src/a.ts': '\tconst a = 1;\n' }, { 'a.md': 'a\tb\n' }],
    good: [{ 'a.patch': '\tas it was\n' }],
  },
  'a folder has at most 30 files of code': {
    rule: checkFolderSizes,
    bad: [Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`src/a/${n}.ts`, 'a;\n']))],
    good: [
      Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`src/a/${n}.ts`, 'a;\n'])),
      Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`src/a/${n}.test.ts`, 'a;\n'])),
    ],
  },
  'every exported type has a name of its own': {
    rule: typeNamesAreUnique,
    bad: [
      { 'src/a.ts': 'export interface Answer {}\n', 'src/b.ts': 'export type Answer = 1;\n' },
      { 'src/a.ts': 'export class Answer {}\n', 'src/b/c.ts': 'export interface Answer {}\n' },
    ],
    good: [
      { 'src/a.ts': 'export type Answer = 1;\n', 'src/b.ts': 'type Answer = 1;\n' },
      { 'src/a.ts': 'export type Answer = 1;\n', 'src/a.test.ts': 'export type Answer = 1;\n' },
    ],
  },
  'every file ends with one newline': {
    rule: oneNewlineAtEnd,
    bad: [{ 'src/a.ts': 'a;' }, { 'a.md': 'a\n\n' }, { 'a.sql': '' }],
    good: [{ 'src/a.ts': 'a;\n\nb;\n' }],
  },
  'no file begins with a licence': {
    rule: noLicenceHeader,
    bad: [
      { 'src/a.ts': '// Copyright 2026 Somebody\n' },
      { 'src/a.ts': `/*\n * ${'SPDX'}-License-Identifier: MIT\n */\n` },
    ],
    good: [{ 'README.md': 'Licensed under Apache-2.0.\n' }],
  },
  'no text names a directory of one machine': {
    rule: noMachine,
    bad: [{ 'a.json': `{"a": "${'/wo'}rk/main"}` }, { '.ci/run': `cd ${'/ro'}ot/surety\n` }],
    good: [{ 'README.md': 'https://example.com/work/ and src/work/ and ~/root/\n' }],
  },
  'no text names a package registry': {
    rule: noRegistry,
    bad: [
      { '.npmrc': `registry=https://${'registry'}.npmjs.org/\n` },
      { 'README.md': `${'npm.pkg'}.github.com\n` },
    ],
    good: [{ 'src/a.ts': 'registry.faults.code;\n' }],
  },
  'the lock file names no address': {
    rule: noResolved,
    bad: [{ 'package-lock.json': '{"a": {"resolved": "https://example.com/a.tgz"}}\n' }],
    good: [{ 'package-lock.json': '{"a": {"version": "1.0.0"}}\n' }],
  },
  'no file has a name that says nothing': {
    rule: noVagueName,
    bad: ['utils.ts', 'helpers.ts', 'types.ts', 'common.ts', 'misc.ts', 'util.test.ts'].map(
      (name) => ({ [`src/kernel/${name}`]: '' }),
    ),
    good: [{ 'src/common-name.ts': '' }, { 'src/event-types.ts': '' }],
  },
  'comments keep to 100 columns': {
    rule: noLongComment,
    bad: [
      { 'src/a.ts': `// ${'x'.repeat(98)}\n` },
      { 'src/a.ts': `a;\n  /**\n   * ${'x'.repeat(96)}\n   */\n` },
    ],
    good: [
      { 'src/a.ts': `// ${'x'.repeat(97)}\n` },
      { 'src/a.ts': `const a = '// ${'x'.repeat(98)}';\n` },
      { 'src/a.ts': `// https://example.com/${'x'.repeat(98)}\n` },
    ],
  },
  'files have at most 400 lines, or a reason': {
    rule: checkFileSizes(longFiles),
    bad: [{ ...excepted(401), 'src/a.ts': 'a;\n'.repeat(401) }, excepted(400)],
    good: [{ ...excepted(401), 'src/a.ts': 'a;\n'.repeat(400) }],
  },
  'functions have at most 60 lines, or a reason': {
    rule: checkFunctionSizes(longFunctions),
    bad: [{ 'src/a.ts': `function a() {\n${'  b;\n'.repeat(59)}}\n` }],
    good: [
      { 'src/a.ts': `function a() {\n${'  b;\n'.repeat(58)}}\n` },
      { 'src/a.test.ts': `describe('a', () => {\n${'  b;\n'.repeat(99)}});\n` },
      { 'src/a.ts': `const table = {\n${'  b,\n'.repeat(99)}};\n` },
    ],
  },
  'links in Markdown lead somewhere': {
    rule: localLinksResolve,
    bad: [
      { 'README.md': 'See [the map](ARCHITECTURE.md).\n' },
      { 'docs/a.md': '![picture](../README.md)\n' },
      { 'docs/a.md': '[a]: ./b.md\n' },
    ],
    good: [
      { 'README.md': '[a](docs/a.md#part) [b](docs) [c](docs/)\n', 'docs/a.md': '' },
      { 'docs/a.md': '[up](../README.md "title")\n', 'README.md': '' },
      { 'README.md': '[a](https://example.com) [b](#below) `[c](d.md)`\n```\n[e](f.md)\n```\n' },
    ],
  },
  'decisions tell the whole story': {
    rule: decisionsAreComplete,
    bad: [{ 'decisions/001-a.md': '# A\n\n## Context\n\n## Decision\n\n## Rejected\n' }],
    good: [
      {
        'decisions/001-a.md':
          '# A\n## Context\n## Decision\n## Rejected\n## How we would notice that we were wrong\n',
        'decisions/README.md': '# Decisions\n',
      },
    ],
  },
  'a decision has a number of its own': {
    rule: decisionsAreNumbered,
    bad: [{ 'decisions/001-a.md': '', 'decisions/001-b.md': '' }],
    good: [{ 'decisions/001-a.md': '', 'decisions/002-b.md': '', 'decisions/README.md': '' }],
  },
  'the index lists every decision': {
    rule: decisionsAreListed,
    bad: [
      { 'decisions/001-a.md': '' },
      { 'decisions/001-a.md': '', 'decisions/README.md': '| 1 | [B](002-b.md) |\n' },
    ],
    good: [{ 'decisions/001-a.md': '', 'decisions/README.md': '| 1 | [A](001-a.md) |\n' }],
  },
  'the index of the documentation lists every page': {
    rule: pagesAreListed,
    bad: [{ 'docs/a.md': '' }, { 'docs/a.md': '', 'docs/README.md': '[b](b.md)\n' }],
  },
  'every dependency was decided': {
    rule: dependenciesAreDecided,
    bad: [
      { 'package.json': '{"dependencies": {"pg": "1"}}' },
      { 'package.json': '{"dependencies": {"pg": "1"}}', 'decisions/a.md': 'pg-native' },
    ],
    good: [
      { 'package.json': '{"dependencies": {"pg": "1"}}', 'decisions/a.md': 'We use `pg`.' },
      { 'package.json': '{"devDependencies": {"pg": "1"}}' },
    ],
  },
};

const tree = (texts: Tree): { path: string; text: string }[] =>
  Object.entries(texts).map(([path, text]) => ({ path, text }));

// proves: frame.style
describe.each(Object.entries(rules))('%s', (_, { rule, bad, good = [] }) => {
  test('holds in this repository', () => {
    expect(rule(files)).toEqual([]);
  });

  test('is a rule that finds the bad examples and accepts the good ones', () => {
    for (const texts of bad) expect([texts, rule(tree(texts))]).not.toEqual([texts, []]);
    for (const texts of good) expect([texts, rule(tree(texts))]).toEqual([texts, []]);
  });
});

// proves: frame.generated-docs
describe('pages generated from the code', () => {
  test.each(Object.entries(generatedPages))('%s is up to date', (path, make) => {
    expect(isGenerated(path, make)(files)).toEqual([]);
  });

  test('are reported when they are missing or out of date', () => {
    const rule = isGenerated('docs/errors.md', () => 'new\n');
    expect(rule(tree({ 'docs/errors.md': 'old\n' }))).toHaveLength(1);
    expect(rule([])).toHaveLength(1);
    expect(rule(tree({ 'docs/errors.md': 'new\n' }))).toEqual([]);
  });
});

// proves: kernel.limits
describe('limits', () => {
  test('are each named by a test, unless they are deadlines', () => {
    expect(limitsAreTested(limitTables)(files)).toEqual([]);
  });

  test('have one name each, a comment, and a table that docs/limits.md lists', () => {
    const names = limitTables.flatMap(({ limits }) => Object.keys(limits));
    expect(names).toHaveLength(new Set(names).size);
    const explained = limitTables.flatMap((table) => [...readMeanings(table).keys()]);
    expect(explained).toEqual(names);
    const tables = files.filter(({ path }) => /^src\/(?:[\w-]+\/)+limits\.ts$/.test(path));
    const listed = limitTables.map(({ folder }) => `src/${folder}/limits.ts`);
    expect(tables.map(({ path }) => path).sort()).toEqual(listed.sort());
  });

  test('that several files need are in a table', () => {
    expect(sharedLimitsAreInTables(files)).toEqual([]);
    const text = 'export const aMax = 1;\n';
    expect(sharedLimitsAreInTables(tree({ 'src/a.ts': text }))).toHaveLength(1);
    const fine = { 'src/a/limits.ts': text, 'src/b.ts': 'const aMax = 1;\n' };
    expect(sharedLimitsAreInTables(tree(fine))).toEqual([]);
  });

  test('are reported when no test names them', () => {
    const limits = { aBytesMax: 1, bMsMax: 1 };
    const rule = limitsAreTested([{ title: 'A', folder: 'a', limits }]);
    expect(
      rule(tree({ 'src/a.ts': 'aLimits.aBytesMax;', 'src/a.test.ts': '// aLimits.aBytesMax' })),
    ).toHaveLength(1);
    expect(rule(tree({ 'src/a.test.ts': 'aLimits.aBytesMax + 1;' }))).toEqual([]);
  });
});

// proves: kernel.faults
describe('faults', () => {
  const one = (remedy: string) => ({ A_FAULT: { message: 'It failed.', remedy } });
  const shipped = { 'package.json': '{"files": ["docs"]}', 'docs/a.md': '', 'src/a.ts': '' };

  test('are each raised in the product', () => {
    expect(everyFaultIsRaised(faults)(files)).toEqual([]);
    expect(everyFaultIsRaised(one(''))(tree({ 'src/a.test.ts': `'A_FAULT'` }))).toHaveLength(1);
    expect(everyFaultIsRaised(one(''))(tree({ 'src/a.ts': `'A_FAULT'` }))).toEqual([]);
  });

  test('name only files that the package ships', () => {
    expect(faultsNameShippedFiles(faults)(files)).toEqual([]);
    expect(faultsNameShippedFiles(one('See src/a.ts.'))(tree(shipped))).toHaveLength(1);
    expect(faultsNameShippedFiles(one('See docs/b.md.'))(tree(shipped))).toHaveLength(1);
    expect(faultsNameShippedFiles(one('See docs/a.md.'))(tree(shipped))).toEqual([]);
  });

  test('name only commands that exist', () => {
    expect(faultsNameKnownCommands(faults, commands)).toEqual([]);
    expect(faultsNameKnownCommands(one('Run: surety start'), commands)).toHaveLength(1);
    expect(faultsNameKnownCommands(one('Run: surety lane view'), commands)).toHaveLength(1);
    expect(faultsNameKnownCommands(one('Run: surety lane list'), commands)).toEqual([]);
  });
});

describe('the length of a function', () => {
  test.each<[string, string, string, number]>([
    ['a function', 'export function a(): void {\n  b;\n}\n', 'export function a', 3],
    [
      'a long head',
      'async function a(\n  b: C,\n): Promise<D> {\n  b;\n}\n',
      'async function a',
      5,
    ],
    ['a head with a pattern', 'function a({\n  b,\n}: C): void {\n  b;\n}\n', 'function a', 5],
    ['a head with a type', 'function a(): {\n  b: C;\n} {\n  b;\n}\n', 'function a', 5],
    ['a head with a deep type', 'function a(): P<{ b: C }> {\n  b;\n}\n', 'function a', 3],
    ['an arrow', 'const a = async () => {\n  b;\n};\n', 'const a = async', 3],
    ['an arrow over lines', 'const a = (\n  b: C,\n) => {\n  b;\n};\n', 'const a =', 5],
    ['a callback', 'a.on(1, () => {\n  b;\n});\n', 'a.on', 3],
    ['a method', 'class A {\n  static async *b() {\n    c;\n  }\n}\n', 'static async *b', 3],
    ['an accessor', 'const a = {\n  get b() {\n    return 1;\n  },\n};\n', 'get b', 3],
    ['a body with braces in texts', 'function a() {\n  "}";\n  `\n}\n`;\n}\n', 'function a', 6],
  ])('is measured: %s', (_, text, head, lines) => {
    expect(findFunctions({ path: 'src/a.ts', text })).toEqual([
      { head, lines, line: expect.any(Number) },
    ]);
  });

  test.each([
    ['a condition', 'if (a) {\n  b;\n} else if (c) {\n  d;\n} else {\n  e;\n}\n'],
    ['a long condition', 'if (\n  a\n) {\n  b;\n}\n'],
    ['a loop', 'for (const a of b) {\n  c;\n}\n'],
    ['a long loop', 'for (const a of b\n  .c()\n  .d()) {\n  e;\n}\n'],
    ['an attempt', 'try {\n  a;\n} catch (b) {\n  c;\n} finally {\n  d;\n}\n'],
    ['a class', 'class A extends mixin(B) {\n  c = 1;\n}\n'],
    ['an object', 'const a = {\n  b: c({\n    d,\n  }),\n};\n'],
  ])('is not measured for %s', (_, text) => {
    expect(findFunctions({ path: 'src/a.ts', text })).toEqual([]);
  });
});
