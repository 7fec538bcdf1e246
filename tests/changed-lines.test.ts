import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readCoverage, watchLines } from '../src/lanes/line-coverage/coverage-files.ts';
import { pythonVariables, tagEnvironment } from '../src/preload/index.ts';
import { serviceNodes } from '../src/preload/old-node.fixture.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'surety-coverage-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const charge = `function charge(amount) {
  if (amount > 10) {
    return 'review';
  }
  return 'paid';
}
`;

const write = (name: string, text: string): void => writeFileSync(join(root, name), text);

/** The lines that ran, and those with code, by file. */
function run(
  main: string,
  watched: Readonly<Record<string, number[]>>,
  program = process.execPath,
  own: Readonly<Record<string, string>> = {},
) {
  const directory = join(root, 'records');
  const tag = { service: 'till', instance: 'till/lane_1/1', router: '127.0.0.1:1' };
  const coverage = watchLines(directory, watched, { top: root });
  const variables = { ...own, ...tagEnvironment(tag), ...coverage };
  const env = {
    PATH: process.env.PATH,
    ...variables,
    ...pythonVariables('till', variables, { isMoved: false }),
  };
  const ended = spawnSync(program, [main], { cwd: root, env, encoding: 'utf8' });
  const { points, executed, recorders } = readCoverage(directory, root);
  const lines = (of: readonly { file: string; line: number }[]): string[] =>
    [...new Set(of.map(({ file, line }) => `${file}:${line}`))].toSorted();
  return { ...ended, code: lines(points), ran: lines(executed), recorders };
}

test('records the lines that ran, also in modules, types, threads and a killed process', () => {
  write('plain.cjs', `${charge}module.exports = { charge };\n`);
  write(
    'typed.ts',
    `interface Order { id: string }\nexport ${charge.replace('amount)', 'amount: number)')}`,
  );
  write('thread.mjs', "const done = 'yes';\nconsole.log(done);\n");
  write(
    'main.mjs',
    `import { Worker } from 'node:worker_threads';
import plain from './plain.cjs';
import { charge } from './typed.ts';
plain.charge(1);
charge(20);
new Worker('./thread.mjs').once('exit', () => process.kill(process.pid, 'SIGKILL'));
`,
  );
  const all = [1, 2, 3, 4, 5, 6, 7];
  const watched = { 'plain.cjs': all, 'typed.ts': all, 'thread.mjs': all, 'unused.mjs': all };
  const { signal, code, ran, recorders } = run('main.mjs', watched);
  expect(signal).toBe('SIGKILL');
  expect(recorders).toEqual(new Set(['node till', 'typescript till']));
  expect(ran).toEqual([
    'plain.cjs:2',
    'plain.cjs:5',
    'plain.cjs:7',
    'thread.mjs:1',
    'thread.mjs:2',
    'typed.ts:3',
    'typed.ts:4',
  ]);
  expect(code.filter((line) => !ran.includes(line))).toEqual(['plain.cjs:3', 'typed.ts:6']);
});

test('knows the lines of what was compiled by its source map, in every Node', () => {
  // Each line of the script was made from the line of its source that stands two further down.
  const mappings = `AAEA${';AACA'.repeat(5)}`;
  const map = JSON.stringify({ version: 3, sources: ['src/till.ts'], names: [], mappings });
  const data = Buffer.from(map).toString('base64');
  const url = `data:application/json;base64,${data}`;
  write('out.cjs', `${charge}debugger; charge(1);\n//# sourceMappingURL=${url}\n`);
  for (const node of serviceNodes) {
    const { status, code, ran } = run('out.cjs', { 'src/till.ts': [4, 5, 6, 7] }, node);
    expect(status).toBe(0);
    expect(code).toEqual(['src/till.ts:4', 'src/till.ts:5', 'src/till.ts:7']);
    expect(ran).toEqual(['src/till.ts:4', 'src/till.ts:7']);
    rmSync(join(root, 'records'), { recursive: true });
  }
});

/** Debian's is 3.11; which others there are depends on the machine. */
const pythons = ['python3', 'python3.9', 'python3.12', 'python3.13'].filter(
  (name) => spawnSync(name, ['--version']).status === 0,
);

test.each(pythons)('records the lines that ran in %s, also in threads', (python) => {
  const lib = `def charge(amount):
    if amount > 10:
        return 1
    return 2
def review():
    return 3
`;
  write('lib.py', lib);
  write('sitecustomize.py', "import os\nos.environ['OWN'] = 'loaded'\n");
  const main = `import os, threading, lib
lib.charge(1)
thread = threading.Thread(target=lib.review)
thread.start()
thread.join()
print(os.environ['OWN'])
`;
  write('main.py', main);
  const watched = { 'lib.py': [1, 2, 3, 4, 5, 6] };
  const environment = { PYTHONPATH: root };
  const { stdout, code, ran, recorders } = run('main.py', watched, python, environment);
  expect(stdout).toBe('loaded\n');
  expect(recorders).toEqual(new Set(['python till']));
  expect(code).toEqual([1, 2, 3, 4, 5, 6].map((line) => `lib.py:${line}`));
  expect(ran).toEqual([1, 2, 4, 5, 6].map((line) => `lib.py:${line}`));
});
