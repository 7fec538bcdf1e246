import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { commandGroups, commands } from '../src/cli/commands.ts';
import { runCli } from '../src/cli/program.ts';
import { formatRootHelp } from '../src/cli/root-help.ts';
import { suretyProgram } from './harness/programs.ts';
import { Scratch } from './harness/scratch.ts';
import { Workspace } from './harness/workspace.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function surety(
  words: readonly string[],
  options: { env?: object; cwd?: string } = {},
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const env = { ...process.env, ...options.env };
  const done = (error: ExecFileException | null, stdout: string, stderr: string): void =>
    resolve({ code: Number(error?.code ?? 0), stdout, stderr });
  execFile(process.execPath, [suretyProgram, ...words], { ...options, env }, done);
  return promise;
}

/** The same in this process: dozens of their own would each show the same. */
async function here(words: readonly string[]): Promise<Ended> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const said = Promise.all([text(streams.stdout), text(streams.stderr)]);
  const code = await runCli(words, streams);
  for (const stream of Object.values(streams)) stream.end();
  const [stdout, stderr] = await said;
  return { code, stdout, stderr };
}

/** Without the breaks that fit a text into 80 columns. */
const oneLine = (text: string): string => text.replaceAll(/ *\\?\n +/g, ' ');

describe('help', () => {
  afterEach(() => void vi.restoreAllMocks());

  // proves: cli.help
  test('lists every command under the task it serves', async () => {
    const { code, stdout } = await surety(['--help']);
    expect(code).toBe(0);
    for (const [group, members] of Object.entries(commandGroups)) {
      expect(stdout).toContain(group);
      for (const { name, summary } of members) {
        expect(oneLine(stdout)).toMatch(new RegExp(` ${name}\\b[^A-Z]*${summary}`));
      }
    }
    expect(stdout).toContain('Exit codes');
    expect((await surety([])).stdout).toBe(stdout);
  });

  test.each(commands.map(({ name, examples }) => ({ name, examples })))(
    'of $name has its examples',
    async ({ name, examples }) => {
      // In this process: a hundred of their own would each show the same.
      const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      expect(await runCli([...name.split(' '), '--help'])).toBe(0);
      const shown = write.mock.calls.map(([text]) => String(text)).join('');
      for (const example of examples) expect(oneLine(shown)).toContain(example);
      expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([]);
    },
  );

  test('fits 80 columns', async () => {
    const { stdout } = await here(['--help']);
    const lines = formatRootHelp().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toBe('');
  });

  test('is also shown by help <command>, and the version by --version', async () => {
    expect(await surety(['help', 'lane', 'open'])).toEqual(
      await surety(['lane', 'open', '--help']),
    );
    expect((await here(['--version'])).stdout).toMatch(/^surety \d+\.\d+\.\d+ /);
  });
});

describe('a wrong command line', () => {
  test('ends the process with 2', async () => {
    expect(await surety(['statuss'])).toMatchObject({ code: 2, stdout: '' });
  });

  // proves: cli.exit-codes
  test.each<[string, string[], string]>([
    ['a misspelt command', ['statuss'], 'Did you mean status?'],
    ['a misspelt command of the ledger', ['ledger', 'verfy'], 'Did you mean verify?'],
    ['an unknown flag', ['status', '--jsno'], "unknown option '--jsno'"],
    ['a missing argument', ['ledger', 'show'], "missing required argument 'seq'"],
    ['one argument too many', ['status', 'extra'], 'too many arguments'],
    ['a word where a number belongs', ['ledger', 'show', 'x'], 'takes a whole number'],
    ['a negative count', ['logs', '--lines=-1'], 'takes a whole number'],
    ['an anchor that is none', ['ledger', 'verify', '--expect', '12'], '--expect takes'],
    ['a file without a key', ['ledger', 'verify', '--file', 'x'], '--file needs --key'],
  ])('%s exits with 2 and prints a remedy', async (_, words, reason) => {
    const plain = await here(words);
    expect([plain.code, plain.stdout]).toEqual([2, '']);
    expect(plain.stderr).toContain(reason);
    expect(plain.stderr).toContain('try  See: surety');
    const asJson = await here([...words, '--json']);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ fault: { code: 'USAGE', retryable: false } });
  });
});

describe('command output', () => {
  // proves: cli.colour
  test('has no colour outside a terminal or under NO_COLOR', async () => {
    using scratch = new Scratch();
    const words = ['status', '-C', scratch.path];
    const colour = String.fromCharCode(27);
    expect((await surety(words, { env: { FORCE_COLOR: undefined } })).stdout).not.toContain(colour);
    const forced = await surety(words, { env: { FORCE_COLOR: '1', NO_COLOR: undefined } });
    expect(forced.stdout).toContain(colour);
  });

  // proves: cli.json
  test('is JSON with --json for every command, also for a fault', async () => {
    await using workspace = new Workspace();
    await workspace.up();
    const patch = join(workspace.root, 'a.patch');
    writeFileSync(patch, 'no patch');
    const given: Record<string, string[]> = {
      logs: ['daemon'],
      verify: [patch],
      promote: [patch, '--reason', 'test'],
      'system restart': ['nobody'],
      'lane curl': ['lane_1', '/'],
      'lane reach': ['lane_1'],
      'lane close': ['lane_1'],
      'task show': ['task_1'],
      'task test': ['task_1', patch],
      'task propose': ['task_1', patch],
      'task verify': ['task_1'],
      'task promote': ['task_1'],
      'task open': ['a goal'],
      'ledger note': ['hello', '--subject', 'customer:ada'],
      'ledger show': ['1'],
      'ledger shred': ['customer:ada', '--yes'],
      'ledger export': ['--file', join(workspace.root, 'ledger.jsonl')],
      'ledger import': ['nothing.jsonl'],
    };
    // An MCP server speaks its own protocol; `down` ends what the others need, and comes last.
    const names = commands
      .map(({ name }) => name)
      .filter((name) => name !== 'mcp' && name !== 'down');
    for (const name of [...names, 'down']) {
      const { value } = await workspace.surety(...name.split(' '), ...(given[name] ?? []));
      expect([name, typeof value]).toEqual([name, 'object']);
    }
  });
});

describe('a workspace', () => {
  test('is found from any folder below it', async () => {
    await using workspace = new Workspace({ config: 'workspace: shop\n' });
    const inside = join(workspace.root, 'services', 'pricing');
    mkdirSync(inside, { recursive: true });
    await workspace.up();
    const { stdout } = await surety(['status', '--json'], { cwd: inside });
    expect(JSON.parse(stdout)).toMatchObject({ workspace: 'shop', directory: workspace.root });
  });

  test('can be exported, verified elsewhere and imported', async () => {
    await using workspace = new Workspace();
    await workspace.up();
    await workspace.run('ledger', 'note', 'take me along');
    await workspace.run('down');
    const file = join(workspace.root, 'ledger.jsonl');
    const { keyFile } = (await workspace.run('ledger', 'export', '--file', file)) as {
      keyFile: string;
    };
    const verified = await workspace.run('ledger', 'verify', '--file', file, '--key', keyFile);
    expect(verified).toMatchObject({ ok: true, checkpointsTrusted: 1 });

    await using other = new Workspace();
    const imported = await other.run('ledger', 'import', file, '--key', keyFile);
    expect(imported).toEqual({ imported: verified.entries, workspace: 'default' });
    expect(await other.run('ledger', 'rebuild')).toMatchObject({ ok: true });
    expect((await other.surety('ledger', 'import', file, '--key', keyFile)).value.fault?.code).toBe(
      'IMPORT_NOT_EMPTY',
    );

    writeFileSync(file, readFileSync(file, 'utf8').replace('note-added', 'note-faked'));
    await using third = new Workspace();
    const refused = await third.surety('ledger', 'import', file, '--key', keyFile);
    expect([refused.code, refused.value.imported]).toEqual([1, 0]);
    expect(existsSync(third.place.ledgerFile)).toBe(false);
  });

  // proves: ledger.pinpoint
  test('with one flipped byte in its database fails verify, which names the damage', async () => {
    await using workspace = new Workspace();
    await workspace.up();
    await workspace.run('ledger', 'note', 'the byte in this sentence will be flipped');
    await workspace.run('down');
    const bytes = readFileSync(workspace.place.ledgerFile);
    const offset = bytes.indexOf('sentence');
    bytes[offset] = (bytes[offset] as number) ^ 1;
    writeFileSync(workspace.place.ledgerFile, bytes);
    const { code, value } = await workspace.surety('ledger', 'verify');
    expect(code).toBe(1);
    expect(['content-edited', 'edited']).toContain((value.problem as { kind: string }).kind);
  });
});
