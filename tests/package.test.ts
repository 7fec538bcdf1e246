import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { Scratch } from './harness/scratch.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

/** A program of somebody who installed the package; with types, as an editor would check it. */
const program = `
import { appendFileSync, readFileSync } from 'node:fs';
import { definePolicy, type Fault, isFault, openGate } from 'surety';
import { defineSuite, type InjectedFault, type Suite } from 'surety/suite';
import { verifyGrant } from 'surety/verify-grant';

const policy = definePolicy({
  version: 1,
  tools: {
    'note.add': {
      effect: 'mutating',
      arguments: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
      governance: { key: 'arguments.text' },
    },
  },
  agents: { ada: { tools: ['note.add'] } },
});
await using gate = await openGate({ directory: './.guard', policy, agent: 'ada' });
const add = gate.guard('note.add', async ({ text }: { text: string }, { proposal }) => {
  appendFileSync('notes', text);
  return { length: text.length, proposal };
});
const values: number[] = [];
for (const text of ['a', 'a', 'b']) values.push((await add({ text })).length);
const wrong = add({ text: 1 as never });
const fault: Fault | undefined = await wrong.then(
  () => undefined,
  (error: unknown) => (isFault(error, 'PROPOSAL_DENIED') ? error : undefined),
);
const injected: InjectedFault = { hop: 'a>b', delayMs: 5 };
const look = async ({ api, check }: Suite): Promise<void> => {
  const { body } = await api.withFault(injected).get<{ n: number }>('/');
  check('a number', body.n.toFixed(1), '1.0');
};
process.env.HEADERS = '{"baggage":"surety-lane=k"}';
await defineSuite('packed', look);
process.exitCode = 0;
const refused = verifyGrant('x', {} as never);
const notes = readFileSync('notes', 'utf8');
process.stdout.write(JSON.stringify({ values, notes, code: fault?.code, ok: refused.ok }));
`;

/** As `npm pack` makes it of a fresh build, unpacked where `npm install` would put it. */
async function install(scratch: Scratch): Promise<readonly string[]> {
  const stage = scratch.file('stage');
  mkdirSync(stage);
  for (const part of ['package.json', 'bin', 'clients', 'docs', 'packs', 'README.md', 'LICENSE']) {
    cpSync(join(root, part), join(stage, part), { recursive: true });
  }
  await run(process.execPath, ['scripts/build.ts', join(stage, 'dist')], { cwd: root });
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch.path];
  const { stdout } = await run('npm', pack, { cwd: stage });
  const [packed] = Object.values(JSON.parse(stdout)) as {
    filename: string;
    files: { path: string }[];
  }[];
  const home = scratch.file('node_modules/surety');
  mkdirSync(home, { recursive: true });
  const tarball = scratch.file(packed?.filename ?? '');
  await run('tar', ['-xzf', tarball, '-C', home, '--strip-components=1']);
  // What the package depends on is the same that this clone has; so no test needs a network.
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  symlinkSync(join(root, 'node_modules/@types'), scratch.file('node_modules/@types'));
  return packed?.files.map(({ path }) => path) ?? [];
}

// proves: embedding.package
test('the packed package is imported, typed and run by another project', async () => {
  using scratch = new Scratch();
  const files = await install(scratch);
  const needed = ['dist/index.js', 'dist/types/index.d.ts', 'dist/suite/resolve.cjs'];
  expect(files).toEqual(expect.arrayContaining([...needed, 'clients/python/surety_suite.py']));
  expect(files.filter((path) => /\.(?:test|fixture|contract)\./.test(path))).toEqual([]);
  expect(files.filter((path) => /^(?:src|tests|examples)\//.test(path))).toEqual([]);

  writeFileSync(scratch.file('package.json'), '{"type": "module"}');
  writeFileSync(scratch.file('program.ts'), program);
  const compiler = [
    ...['--module', 'nodenext', '--target', 'es2024', '--strict', '--types', 'node'],
    ...['--skipLibCheck', '--outDir', scratch.path, scratch.file('program.ts')],
  ];
  await run(join(root, 'node_modules/.bin/tsc'), compiler, { cwd: scratch.path });
  const options = { cwd: scratch.path };
  const { stdout } = await run(process.execPath, [scratch.file('program.js')], options);
  const [looked = '', told = ''] = stdout.split('\n');
  expect(JSON.parse(looked)).toMatchObject({ broken: expect.stringContaining('BASE_URL') });
  expect(JSON.parse(told)).toEqual({
    values: [1, 1, 1],
    notes: 'ab',
    code: 'PROPOSAL_DENIED',
    ok: false,
  });
  const surety = ['node_modules/surety/bin/surety.js', 'ledger', 'verify', '--json'];
  const verified = await run(process.execPath, [...surety, '--directory', '.guard'], options);
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true });
});
