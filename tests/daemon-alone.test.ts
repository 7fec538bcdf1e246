import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { killHard } from './harness/kill-hard.ts';
import { daemonProgram } from './harness/programs.ts';
import { type Up, Workspace } from './harness/workspace.ts';
import { workspaceVariable } from './harness/workspace-processes.ts';

/** A daemon as the keeper starts it, but behind the keeper's back. */
async function startSecond({ root }: Workspace): Promise<{ code: number; said: string }> {
  const env = { ...process.env, [workspaceVariable]: root };
  const second = spawn(process.execPath, [daemonProgram, root], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [said, [code]] = await Promise.all([text(second.stdout), once(second, 'exit')]);
  return { code, said };
}

let workspace: Workspace;
beforeAll(() => {
  workspace = new Workspace();
});
afterAll(() => workspace[Symbol.asyncDispose]());

// proves: daemon.single
test('a second daemon in a directory is refused with the pid of the first', async () => {
  const { pid } = await workspace.up();
  const { code, said } = await startSecond(workspace);
  expect(code).toBe(3);
  expect(JSON.parse(said.trim().split('\n').at(-1) ?? '')).toMatchObject({
    event: 'start-failed',
    code: 'DIRECTORY_IN_USE',
    message: expect.stringContaining(`(pid ${pid})`),
  });
  await workspace.client().call('POST /v1/notes', { body: { text: 'still there' } });
  expect((await workspace.surety('ledger', 'verify')).code).toBe(0);
});

test('import refuses the ledger of a running daemon', async () => {
  const { pid } = await workspace.up();
  const file = join(workspace.root, 'export.jsonl');
  const { keyFile } = await workspace.run('ledger', 'export', '--file', file);
  const { code, value } = await workspace.surety(
    'ledger',
    'import',
    file,
    '--key',
    String(keyFile),
  );
  expect([code, value.fault?.code]).toEqual([1, 'DIRECTORY_IN_USE']);
  expect(value.fault?.message).toContain(`(pid ${pid})`);
});

interface Leftovers {
  readonly pid: number;
  readonly port: number;
}

/** What kill -9 leaves behind, and what became of the numbers in it. */
const leftovers: readonly [what: string, of: (dead: Up, other: Up) => Leftovers][] = [
  ['they name nobody', ({ pid, port }) => ({ pid, port })],
  ['they name another program by now', ({ port }) => ({ pid: process.pid, port })],
  ['they name a port of another daemon by now', ({ pid }, { port }) => ({ pid, port })],
];

test.runIf(isDeep)('a daemon starts over the files of a killed daemon and keeper', async () => {
  await using other = new Workspace();
  await using workspace = new Workspace();
  const [first, stranger] = await Promise.all([workspace.up(), other.up()]);
  let dead = first;
  for (const [what, of] of leftovers) {
    await Promise.all([killHard(dead.pid), killHard(dead.keeper?.pid ?? 0)]);
    const { pid, port } = of(dead, stranger);
    const { state, daemonFile } = workspace.place;
    for (const holder of ['daemon', 'keeper'])
      writeFileSync(join(state, `${holder}.pid`), `${pid}\n`);
    writeFileSync(daemonFile, JSON.stringify({ pid, port, startedAt: 0 }));
    const started = await workspace.up();
    expect(started.directory, what).toBe(workspace.root);
    expect([dead.pid, stranger.pid, process.pid], what).not.toContain(started.pid);
    expect((await other.run('status')).pid, what).toBe(stranger.pid);
    dead = started;
  }
});

test('a client that follows the tail learns that the daemon was killed', async () => {
  const { pid } = await workspace.up();
  const stream = workspace.client().stream('GET /v1/entries/stream', { query: {} });
  const following = (async () => {
    for await (const { kind } of stream)
      if (kind === 'daemon-started') process.kill(pid, 'SIGKILL');
  })();
  await expect(following).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
});
