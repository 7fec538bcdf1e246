import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { type Packed, packPackages } from './harness/packages.ts';
import { freshDatabase } from './harness/postgres/fresh-database.ts';
import { Scratch } from './harness/scratch.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

/** A program of somebody who installed a package; with types, as an editor would check it. */
const program = (name: string): string => `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { definePolicy, type Fault, isFault, openGate } from '${name}';
import { verifyGrant } from '${name}/verify-grant';

const policy = definePolicy({
  version: 1,
  tools: {
    'note.add': {
      effect: 'mutating',
      arguments: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
      preconditions: [{ rule: 'short', that: 'size(arguments.text) < 9', message: 'it is long' }],
      governance: { key: 'arguments.text' },
    },
  },
  agents: { ada: { tools: ['note.add'] } },
});
const file = 'policy.yaml';
writeFileSync(file, JSON.stringify({ ...policy, include: ['pack:payments'] }));
await using gate = await openGate({ directory: './.guard', policy: file, agent: 'ada' });
const add = gate.guard('note.add', async ({ text }: { text: string }, { proposal }) => {
  appendFileSync('notes', text);
  return { length: text.length, proposal };
});
const values: number[] = [];
for (const text of ['a', 'a', 'b']) values.push((await add({ text })).length);
const wrong = add({ text: 'much too long' });
const fault: Fault | undefined = await wrong.then(
  () => undefined,
  (error: unknown) => (isFault(error, 'PROPOSAL_DENIED') ? error : undefined),
);
const refused = verifyGrant('x', {} as never);
const notes = readFileSync('notes', 'utf8');
process.stdout.write(JSON.stringify({ values, notes, code: fault?.code, ok: refused.ok }));
`;
const output = { values: [1, 1, 1], notes: 'ab', code: 'PROPOSAL_DENIED', ok: false };

const suite = `
import { defineSuite, type InjectedFault, type Suite } from 'surety/suite';
import { withKey } from 'surety/queue';

const injected: InjectedFault = { hop: 'a>b', delayMs: 5 };
const look = async ({ api, check }: Suite): Promise<void> => {
  const { body } = await api.withFault(injected).get<{ n: number }>('/');
  check('a number', body.n.toFixed(1), '1.0');
};
process.env.HEADERS = '{"baggage":"surety-lane=k"}';
await defineSuite('packed', look);
process.exitCode = typeof withKey === 'function' ? 0 : 1;
`;

/** The files of one package, unpacked. */
async function unpack(home: string, { tarball }: Packed): Promise<void> {
  mkdirSync(home, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', home, '--strip-components=1']);
}

/** As `npm install` would do it, with the dependencies of the package and no other packages. */
async function install(scratch: Scratch, name: string, packed: Packed): Promise<void> {
  const home = scratch.file(`node_modules/${name}`);
  await unpack(home, packed);
  const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  // Those of this clone, so that no test needs a network.
  for (const other of [...Object.keys(dependencies), '@types']) {
    const path = scratch.file(`node_modules/${other}`);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(root, 'node_modules', other), path);
  }
  writeFileSync(scratch.file('package.json'), '{"type": "module"}');
}

/** What a program in TypeScript prints. */
async function runProgram(scratch: Scratch, text: string): Promise<string> {
  writeFileSync(scratch.file('program.ts'), text);
  return (await run(process.execPath, ['program.ts'], { cwd: scratch.path })).stdout;
}

/** Fails if the program, or the types of the packages that it imports, are wrong. */
async function checkTypes(scratch: Scratch): Promise<void> {
  const options = ['--noEmit', '--module', 'nodenext', '--target', 'es2024', '--strict'];
  const words = [...options, '--types', 'node', scratch.file('program.ts')];
  await run(join(root, 'node_modules/.bin/tsc'), words, { cwd: scratch.path });
}

test('the packages have one version, and the same dependencies in the same versions', () => {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const surety = read('package.json');
  const gate = read('packages/gate/package.json');
  expect([gate.version, gate.engines]).toEqual([surety.version, surety.engines]);
  expect(surety.dependencies).toMatchObject(gate.dependencies);
  expect(Object.keys(gate.dependencies).join()).not.toMatch(/duckdb|grpc|hono/);
});

/** To build and pack takes long: only the deep tests do it. */
describe.runIf(isDeep)('the published packages', () => {
  let stage: Scratch;
  let packages: { readonly surety: Packed; readonly gate: Packed };

  beforeAll(async () => {
    stage = new Scratch();
    packages = await packPackages(stage.path);
  });
  afterAll(() => stage[Symbol.dispose]());

  test.each(['surety', 'gate'] as const)('%s contains few files and no sources', (name) => {
    const { files } = packages[name];
    expect(files.filter((path) => /\.(?:test|fixture|contract)\.|\.map$/.test(path))).toEqual([]);
    // The sample of `surety init --demo` is the only example that is shipped.
    const sources = /^(?:src|tests|examples\/(?!quickstart\/))/;
    expect(files.filter((path) => sources.test(path))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['dist/licenses.txt', 'LICENSE', 'README.md']));
    expect(files.length).toBeLessThan(450);
  });

  // Faults and descriptions send their readers to pages.
  test.each(['surety', 'gate'] as const)(
    '%s contains the pages that its texts name',
    async (name) => {
      using scratch = new Scratch();
      await unpack(scratch.path, packages[name]);
      const texts = globSync('dist/*.js', { cwd: scratch.path }).map((file) =>
        readFileSync(scratch.file(file), 'utf8'),
      );
      const named = new Set(texts.join('\n').match(/\bdocs\/[a-z-]+(?:\.[a-z]+)+\b/g));
      // Bundled libraries name pages of their own.
      const own = [...named].filter((page) => existsSync(join(root, page)));
      expect(own.length).toBeGreaterThan(3);
      expect(packages[name].files).toEqual(expect.arrayContaining(own));
    },
  );

  // proves: embedding.package
  describe('in another project', () => {
    test.each([
      ['surety', 'surety'],
      ['gate', '@surety/gate'],
    ] as const)('import, type-check and run: %s', async (which, name) => {
      using scratch = new Scratch();
      await install(scratch, name, packages[which]);
      expect(JSON.parse(await runProgram(scratch, program(name)))).toEqual(output);
      await checkTypes(scratch);
    });

    test('keep the ledger of @surety/gate in Postgres', async () => {
      using scratch = new Scratch();
      await install(scratch, '@surety/gate', packages.gate);
      const config = `ledger: {store: postgres, url: "${await freshDatabase()}"}\n`;
      mkdirSync(scratch.file('.guard'));
      writeFileSync(scratch.file('.guard/surety.yaml'), config);
      expect(JSON.parse(await runProgram(scratch, program('@surety/gate')))).toEqual(output);
      expect(existsSync(scratch.file('.guard/.surety/ledger.db'))).toBe(false);
    });

    test('run suites and commands of surety', async () => {
      using scratch = new Scratch();
      await install(scratch, 'surety', packages.surety);
      const printed = await runProgram(scratch, suite);
      await checkTypes(scratch);
      expect(JSON.parse(printed)).toMatchObject({ broken: expect.stringContaining('BASE_URL') });
      const surety = async (...words: string[]) => {
        const args = ['node_modules/surety/bin/surety.js', ...words, '--json'];
        return JSON.parse((await run(process.execPath, args, { cwd: scratch.path })).stdout);
      };
      try {
        expect(await surety('up')).toMatchObject({ ledger: { store: 'sqlite' } });
      } finally {
        await surety('down');
      }
      expect(await surety('ledger', 'verify')).toMatchObject({ ok: true });
    });

    test('load each file of the bundle with the declared dependencies only', async () => {
      using scratch = new Scratch();
      await install(scratch, 'surety', packages.surety);
      const isProgram = /(?:cli|-main|-process|-worker|-reap-data)\.js$/;
      const files = packages.surety.files.filter((path) => /^dist\/[^/]+\.c?js$/.test(path));
      const imports = files
        .filter((path) => !isProgram.test(path))
        .map((path) => {
          return `await import('./node_modules/surety/${path}');`;
        });
      writeFileSync(scratch.file('all.js'), imports.join('\n'));
      const { stderr } = await run(process.execPath, ['all.js'], { cwd: scratch.path });
      expect(stderr).toBe('');
    });
  });
});
