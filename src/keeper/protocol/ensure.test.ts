import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readPid } from '../../kernel/index.ts';
import { isAlive, Scene, stubborn, untilGone } from '../scene.fixture.ts';
import { hasProc, readMark } from '../strays/processes.ts';
import { ensureKeeper } from './ensure.ts';

const run = promisify(execFile);

const index = new URL('../index.ts', import.meta.url).href;

function askForKeeper(module: string, directory: string): string {
  return `const keeper = await (await import(${module})).ensureKeeper(${directory});`;
}

/** In a process of its own: the pid of the keeper that it got. */
async function ensureElsewhere(scene: Scene): Promise<number> {
  const script = `
    ${askForKeeper('process.argv[1]', 'process.argv[2]')}
    process.stdout.write(String((await keeper.ping()).pid));
    keeper.close();
  `;
  const args = ['--input-type=module', '--eval', script, index, scene.directory];
  const { stdout } = await run(process.execPath, args);
  return Number(stdout);
}

describe.runIf(hasProc).concurrent('ensureKeeper', () => {
  test('creates the directory and starts a detached keeper there', async () => {
    await using scene = new Scene();
    const pid = await ensureElsewhere(scene);
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(scene.directory);
    expect([0, 1, 2].map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))).toEqual([
      '/dev/null',
      scene.path('logs/keeper.log'),
      scene.path('logs/keeper.log'),
    ]);
    // Field 7 is the terminal, 6 the session.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ');
    expect(stat?.[6 - 3]).toBe(String(pid));
    expect(stat?.[7 - 3]).toBe('0');
    expect(readPid(scene.directory, 'keeper')).toBe(pid);
  });

  test('returns the same keeper to all concurrent callers', async () => {
    await using scene = new Scene();
    const here = Promise.all([1, 2, 3].map(() => scene.keeper()));
    const elsewhere = Promise.all([1, 2].map(() => ensureElsewhere(scene)));
    const pids = (await here).map(async (keeper) => (await keeper.ping()).pid);
    const all = new Set([...(await Promise.all(pids)), ...(await elsewhere)]);
    expect(all.size).toBe(1);
    expect(scene.logged('keeper-started')).toHaveLength(1);
  });

  test('waits for a keeper that is stopping, then starts the next one', async () => {
    await using scene = new Scene();
    const first = await scene.keeper();
    await scene.startReady(first, scene.shell('slow', stubborn));
    const { pid } = await first.ping();
    const leaving = first.shutdown();
    const next = await scene.keeper();
    expect((await leaving).map(({ state }) => state)).toEqual(['exited']);
    expect((await next.ping()).pid).not.toBe(pid);
    expect(isAlive(pid)).toBe(false);
  });

  test('called by a child that outlived its keeper, returns one that adopts that child', async () => {
    await using scene = new Scene();
    writeFileSync(scene.path('preload.cjs'), '');
    const environment = {
      ...(process.env as Record<string, string>),
      NODE_OPTIONS: `--require=${scene.path('preload.cjs')}`,
    };
    const script = `
      const { existsSync, writeFileSync } = await import('node:fs');
      while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 10));
      ${askForKeeper('process.argv[1]', 'process.cwd()')}
      writeFileSync('keeper-pid', (await keeper.ping()).pid + '\\n');
    `;
    const command = [process.execPath, '--input-type=module', '--eval', script, index];
    const first = await scene.keeper();
    const daemon = await first.start(scene.shell('daemon', '', { command, environment }));
    await scene.killKeeper();
    writeFileSync(scene.path('go'), '');
    const pid = await scene.pidIn('keeper-pid');
    // With the mark of the child it would end itself together with it.
    expect(readMark(pid)).toBeUndefined();
    expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).not.toContain('preload.cjs');
    const keeper = await scene.keeper();
    expect((await keeper.ping()).pid).toBe(pid);
    expect(await keeper.list()).toEqual([daemon]);
    await keeper.stop('daemon');
    expect((await keeper.ping()).pid).toBe(pid);
  });

  test('says where to look when the keeper cannot start', async () => {
    await using scene = new Scene();
    mkdirSync(scene.path('keeper.lock'));
    await expect(ensureKeeper(scene.directory)).rejects.toMatchObject({
      code: 'KEEPER_UNREACHABLE',
      message: expect.stringContaining(scene.path('logs/keeper.log')),
    });
    expect(scene.logged('keeper-not-started')).toMatchObject([{ level: 'error' }]);
  });

  test('restarts a keeper that was killed', async () => {
    await using scene = new Scene();
    const { pid } = await (await scene.keeper()).ping();
    process.kill(pid, 'SIGKILL');
    await untilGone(pid);
    const next = await scene.keeper();
    expect((await next.ping()).pid).not.toBe(pid);
  });
});
