import { describe, expect, test } from 'vitest';
import { checkMap } from './rules/architecture-map.ts';
import { maskCode } from './rules/code-mask.ts';
import { findCycles } from './rules/import-cycles.ts';
import { checkDirection } from './rules/import-direction.ts';
import { adapters, arrows, doors } from './rules/import-table.ts';
import { findImports } from './rules/imports.ts';
import { checkPurity } from './rules/purity.ts';
import { isCode, readSourceFiles, type SourceFile } from './rules/source-files.ts';

const files = readSourceFiles();
const sources = files.filter(({ path }) => path.startsWith('src/'));

const file = (path: string, text: string): SourceFile => ({ path, text });
const paths = (text: string): (string | undefined)[] =>
  findImports(file('src/a.ts', text)).map(({ specifier }) => specifier);

// proves: frame.import-direction, keeper.no-dependencies
describe('imports', () => {
  test('follow the table', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.flatMap(findImports).length).toBeGreaterThan(300);
    expect(checkDirection(files)).toEqual([]);
  });

  test.each<[string, string, string, string]>([
    ['kernel', 'kernel/a.ts', '../ledger/index.ts', 'kernel may not import ledger'],
    ['a package in kernel', 'kernel/a.ts', 'zod', 'package zod'],
    ['a package in keeper', 'keeper/a.ts', '@scope/name/sub', 'package @scope/name'],
    ['a module of Node without its prefix', 'kernel/a.ts', 'fs', 'package fs'],
    ['pg outside of its adapter', 'ledger/a.ts', 'pg', 'package pg'],
    ['a package in another folder', 'http/a.ts', 'commander', 'package commander'],
    ['a test library in the product', 'kernel/a.ts', 'vitest', 'package vitest'],
    ['kernel from preload', 'preload/tag.cjs', '../kernel/index.ts', 'preload may not'],
    ['a feature from keeper', 'keeper/a.ts', '../system/index.ts', 'keeper may not import system'],
    ['a process from a feature', 'lanes/a.ts', '../router/index.ts', 'lanes may not import router'],
    ['the gate from a feature', 'lanes/a.ts', '../gate/index.ts', 'lanes may not import gate'],
    ['the other way', 'ledger/a.ts', '../gate/index.ts', 'ledger may not import gate'],
    ['a surface from a feature', 'gate/a.ts', '../mcp/index.ts', 'gate may not import mcp'],
    ['a surface from another', 'http/a.ts', '../mcp/index.ts', 'http may not import mcp'],
    ['the runtime from a surface', 'http/a.ts', '../runtime/place.ts', 'may not import runtime'],
    ['the cli from the runtime', 'runtime/a.ts', '../cli/index.ts', 'may not import cli'],
    ['past the surface', 'gate/a.ts', '../ledger/entry.ts', 'enter ledger by ledger/entry.ts'],
    ['the server from the cli', 'cli/a.ts', '../http/api.ts', 'enter http by http/api.ts'],
    ['the daemon from the cli', 'cli/a.ts', '../runtime/daemon.ts', 'by runtime/daemon.ts'],
    ['an adapter from a feature', 'gate/a.ts', '../ledger/sqlite/store.ts', 'only the runtime'],
    ['an adapter from a surface', 'cli/a.ts', '../ledger/sqlite/store.ts', 'only the runtime'],
    ['an adapter from its port', 'ledger/a.ts', './sqlite/store.ts', 'only the runtime'],
    ['one adapter from another', 'ledger/postgres/a.ts', '../sqlite/store.ts', 'only the runtime'],
    ['the inside of an adapter', 'runtime/a.ts', '../ledger/sqlite/worker.ts', 'enter ledger by'],
    [
      'the API in a feature',
      'lanes/a.ts',
      './api-schema.ts',
      'only types from lanes/api-schema.ts',
    ],
    ['a schema of another', 'verify/a.ts', '../lanes/api-schema.ts', 'only types from'],
    ['a fixture in the product', 'ledger/a.ts', './ledger.fixture.ts', 'is no test'],
    ['what lies outside', 'kernel/a.ts', '../../scripts/steps.ts', 'leaves src for scripts/'],
    ['a harness in the product', 'kernel/a.ts', '../../tests/rules/a.ts', 'leaves src for tests/'],
    ['a folder that nobody knows', 'kernel/a.ts', '../shared/index.ts', 'may not import shared'],
    ['a new folder', 'shared/a.ts', 'node:fs', 'no part of src'],
    ['no folder', 'a.ts', 'node:fs', 'no part of src'],
    ['the package past its surface', 'index.ts', './runtime/daemon.ts', 'by runtime/daemon.ts'],
    ['the package from inside', 'gate/a.ts', '../index.ts', 'gate may not import index.ts'],
  ])('that break the table are found: %s', (_, path, specifier, expected) => {
    const source = file(`src/${path}`, `// why\nimport { x } from '${specifier}';\n`);
    expect(checkDirection([source])).toEqual([expect.stringContaining(expected)]);
  });

  test.each<[string, string]>([
    ['kernel/a.ts', 'node:fs'],
    ['kernel/a.ts', './b.ts'],
    ['preload/tag.cjs', 'node:http'],
    ['gate/a.ts', '../ledger/index.ts'],
    ['ledger/sqlite/a.ts', '../store.ts'],
    ['ledger/postgres/a.ts', 'pg'],
    ['http/a.ts', 'hono/streaming'],
    ['http/a.ts', '../ledger/index.ts'],
    ['http/a.ts', '../lanes/api-schema.ts'],
    ['mcp/tools/a.ts', '../../lanes/api-schema.ts'],
    ['lanes/api-schema.ts', 'zod'],
    ['verify/api-schema.ts', '../lanes/api-schema.ts'],
    ['cli/a.ts', '../http/index.ts'],
    ['cli/a.ts', '../runtime/place.ts'],
    ['index.ts', './runtime/embedded/index.ts'],
    ['runtime/a.ts', '../http/api.ts'],
    ['runtime/a.ts', '../ledger/sqlite/store.ts'],
    ['gate/a.test.ts', 'vitest'],
    ['gate/a.test.ts', '../ledger/sqlite/store.ts'],
    ['gate/a.test.ts', '../ledger/ledger.fixture.ts'],
    ['ledger/a.contract.ts', 'fast-check'],
    ['ledger/postgres/store.test.ts', '../../../tests/harness/fresh-database.ts'],
  ])('%s may import %s', (path, specifier) => {
    expect(checkDirection([file(`src/${path}`, `import '${specifier}';`)])).toEqual([]);
  });

  test('of types may point to folders that code may not be loaded from', () => {
    const lane = "import type { Lane } from './api-schema.ts';\n";
    const hop = "import type { Hop } from '../router/index.ts';\n";
    expect(checkDirection([file('src/lanes/a.ts', lane + hop)])).toEqual([]);
  });

  test('that break the table are reported with file and line, whatever their form', () => {
    const text = `import a from 'node:fs';\nexport * from 'x';\nvoid import('y');\nimport(z);\n`;
    expect(checkDirection([file('src/kernel/a.ts', text)])).toEqual([
      'src/kernel/a.ts:2  may not import the package x',
      'src/kernel/a.ts:3  may not import the package y',
      'src/kernel/a.ts:4  import() must name its module',
    ]);
  });

  test('are listed in a table that names no impossible folder, door or adapter', () => {
    const folders = Object.keys(arrows);
    expect(folders).toEqual(expect.arrayContaining([...new Set(Object.values(arrows).flat())]));
    const known = new Set(sources.map(({ path }) => path.slice('src/'.length)));
    expect(Object.keys(doors).filter((door) => !known.has(door))).toEqual([]);
    const absent = adapters.filter(
      (adapter) => ![...known].some((path) => path.startsWith(adapter)),
    );
    expect(absent).toEqual([]);
  });
});

describe('cycles', () => {
  test('of imports exist neither in src nor elsewhere', () => {
    expect(findCycles(files.filter(({ path }) => isCode(path)))).toEqual([]);
  });

  test('of imports are found, also through types, re-exports and late imports', () => {
    const cycle = [
      file('src/kernel/a.ts', `import type { B } from './b.ts';`),
      file('src/kernel/b.ts', `export * from '../gate/c.ts';`),
      file('src/gate/c.ts', `void import('../kernel/a.ts'); import './gone.ts';`),
      file('src/gate/d.ts', `import './d.ts'; import './c.ts';`),
    ];
    expect(findCycles(cycle)).toEqual([
      'src/kernel/a.ts → src/kernel/b.ts → src/gate/c.ts → src/kernel/a.ts',
      'src/gate/d.ts → src/gate/d.ts',
    ]);
  });
});

// proves: gate.pure
describe('decide()', () => {
  test('is pure', () => {
    expect(checkPurity(files)).toEqual([]);
  });

  test.each([
    ['a clock', 'const now = Date.now();', 'Date'],
    ['another clock', 'performance.now();', 'performance'],
    ['randomness', 'Math.random();', 'Math.random'],
    ['the environment', 'process.env.X;', 'process'],
    ['waiting', 'async () => await x;', 'await'],
    ['a module of Node', `import 'node:fs';`, 'node:fs'],
    ['a package', `import 'pg';`, 'pg'],
    ['a late import', `import('./x.ts');`, 'import('],
  ])('is reported as impure with %s', (_, text, named) => {
    const complaints = checkPurity([file('src/gate/decision/decide.ts', text)]);
    expect(complaints).toContainEqual(expect.stringContaining(named));
  });

  test('is reported when a helper is impure or when its file is missing', () => {
    const decide = file('src/gate/decision/decide.ts', `import { x } from './limits.ts';`);
    const helper = file('src/gate/decision/limits.ts', 'export const x = () => Date.now();');
    expect(checkPurity([decide, helper])).toEqual([
      'src/gate/decision/limits.ts:1  must be pure, but uses Date',
    ]);
    expect(checkPurity([helper])).toEqual([expect.stringContaining('is not there')]);
  });

  test('may mention impure names in comments and texts, and use similar names', () => {
    const text = `// reads no Date\nconst dateOf = x.process; const s = 'await Date';`;
    expect(checkPurity([file('src/gate/decision/decide.ts', text)])).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  test('names every folder of src', () => {
    expect(checkMap(files)).toEqual([]);
  });

  test('is reported when it is missing, or misses a folder or an entry', () => {
    const source = file('src/gate/act.ts', '');
    const map = (row: string): SourceFile => file('ARCHITECTURE.md', row);
    expect(checkMap([source])).toEqual(['ARCHITECTURE.md  is missing']);
    expect(checkMap([source, map('the gate and `src/gate/`')])).toEqual([
      'ARCHITECTURE.md  does not list src/gate/',
    ]);
    expect(checkMap([source, map('| `src/gate/` | decides | `decide.ts` | |')])).toEqual([
      'ARCHITECTURE.md  names decide.ts as an entry of src/gate/, which has none',
    ]);
    expect(checkMap([source, map('| `src/gate/` | decides | | |')])).toEqual([
      'ARCHITECTURE.md  names no entry of src/gate/',
    ]);
    expect(checkMap([source, map('| `src/gate/` | decides | `act.ts` | |')])).toEqual([]);
  });
});

describe('the scanner finds', () => {
  test.each<[string, string, (string | undefined)[]]>([
    ['an import over several lines', `import {\n  a,\n  type B,\n} from './x.ts';`, ['./x.ts']],
    ['a type', `import type { A } from "./x.ts";`, ['./x.ts']],
    ['a bare import', `import './x.ts';import'./y.ts'`, ['./x.ts', './y.ts']],
    ['a name space', `import * as from from './x.ts';`, ['./x.ts']],
    ['re-exports', `export * from './x.ts';\nexport { a } from './y.ts';`, ['./x.ts', './y.ts']],
    ['a re-exported type', `export type * as T from './x.ts';`, ['./x.ts']],
    ['a late import', `const { a } = await import('./x.ts');`, ['./x.ts']],
    ['a late import over lines', 'import(\n  /* why */ `./x.ts`,\n)', ['./x.ts']],
    ['a type of a module', `let a: import('./x.ts').A;`, ['./x.ts']],
    ['an import with attributes', `import a from './a.json' with { type: 'json' };`, ['./a.json']],
    ['require', `const a = require('./x.cjs');`, ['./x.cjs']],
    [
      'an import inside a template',
      "`${await import('./x.ts')} ${`${import('./y.ts')}`}`",
      ['./x.ts', './y.ts'],
    ],
    [
      'an import behind a comment',
      `import /* from 'no' */ { a } from /* ' */ './x.ts';`,
      ['./x.ts'],
    ],
    ['an import behind a division', `a / b; import './x.ts'; c / d;`, ['./x.ts']],
    ['an import behind a regular expression', `x = /['"\`]/g; import './x.ts';`, ['./x.ts']],
    ['an import behind a class of slashes', `return /[/'"]\\//; import './x.ts';`, ['./x.ts']],
    ['an import behind an apostrophe', `// don't\nimport './x.ts';`, ['./x.ts']],
    ['an import behind an escaped quote', `a = 'it\\'s'; import './x.ts';`, ['./x.ts']],
    ['a computed import', 'import(name); import(`./${name}.ts`);', [undefined, undefined]],
  ])('%s', (_, text, expected) => {
    expect(paths(text)).toEqual(expected);
  });
});

describe('the scanner is not fooled by', () => {
  test.each([
    ['a comment', `// import './x.ts';\n/* export * from './y.ts'; */`],
    ['a string', `const a = "import './x.ts'"; const b = 'from "y"';`],
    ['a template', "const a = `import './x.ts' ${b} from './y.ts'`;"],
    ['a regular expression', `const a = /import 'x'/; b(/from "y"/u);`],
    ['a URL', `new URL('./x.ts', import.meta.url)`],
    ['a method', `Array.from('abc'); loader.import('./x.ts'); this.#require('a');`],
    ['a longer word', `reimport('./x.ts'); $from('a'); importAll('./y.ts');`],
    ['a key', `const a = { from: './x.ts', import: 'y' };`],
    ['a first line for the shell', `#!/usr/bin/env node 'import`],
  ])('%s', (_, text) => {
    expect(paths(text)).toEqual([]);
  });

  test('masked text: everything keeps its position', () => {
    const text = "a('x', `b${c['}'] + `${{}}`}d`, /[/]'/, e! / f++ / 2); // '\n/* ` */ g";
    const mask = "a(' ', ` ${c[' '] + `${{}}`} `,       , e! / f++ / 2);     \n        g";
    expect(maskCode(text)).toBe(mask);
  });

  // A scanner that took a slash or a quote for something else would lose brackets on its way.
  test('any file of this repository: all brackets match', () => {
    for (const { path, text } of files.filter((any) => isCode(any.path))) {
      const mask = maskCode(text);
      expect([path, mask.length, unmatched(mask)]).toEqual([path, text.length, '']);
    }
  });
});

/** The brackets that are not closed, and the first one that closes nothing. */
function unmatched(mask: string): string {
  const open: string[] = [];
  for (const [bracket] of mask.matchAll(/[()[\]{}]/g)) {
    if ('([{'.includes(bracket)) open.push(bracket);
    else if (pairs[open.at(-1) ?? ''] === bracket) open.pop();
    else return [...open, bracket].join('');
  }
  return open.join('');
}

const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
