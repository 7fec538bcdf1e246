import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { connectKeeper } from './protocol/client.ts';
import { exitWhenInUse } from './protocol/protocol.ts';
import { childNamed, isAlive, onTerm, Scene, stubborn, until, untilGone } from './scene.fixture.ts';
import { hasProc } from './strays/processes.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
/** Writes its name into a common file when it ends. */
const diary = onTerm('echo $0 >> diary; exit');

async function runMain(...args: readonly string[]): Promise<{ code: number; errorOutput: string }> {
  const keeper = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args]);
  const errorOutput = text(keeper.stderr);
  const [code] = await once(keeper, 'exit');
  return { code, errorOutput: await errorOutput };
}

describe.runIf(hasProc).concurrent('a keeper', () => {
  test('reports in one line that another keeper owns its directory', async () => {
    await using scene = new Scene();
    const { pid } = await (await scene.keeper()).ping();
    const { code, errorOutput } = await runMain(scene.directory);
    expect(code).toBe(exitWhenInUse);
    expect(
      errorOutput
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      {
        event: 'keeper-not-started',
        code: 'DIRECTORY_IN_USE',
        message: expect.stringContaining(`pid ${pid}`),
      },
    ]);
  });

  test.each([[[]], [['/nonesuch/state']]])('says that it needs a directory', async (args) => {
    const { code, errorOutput } = await runMain(...args);
    expect(code).toBe(1);
    expect(JSON.parse(errorOutput)).toMatchObject({ code: 'USAGE' });
    expect(existsSync('/nonesuch')).toBe(false);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'stops its children on %s, the latest first, and exits',
    async (signal) => {
      await using scene = new Scene();
      const keeper = await scene.keeper();
      for (const name of ['first', 'second', 'third']) {
        await keeper.start({ ...scene.shell(name, ''), command: ['sh', '-c', diary, name] });
        await until(`${name} is ready`, () => scene.read(`logs/${name}.log`));
      }
      const { pid } = await keeper.ping();
      process.kill(pid, signal);
      await untilGone(pid);
      expect(scene.read('diary')).toBe('third\nsecond\nfirst\n');
      expect(existsSync(scene.path('keeper.sock'))).toBe(false);
      expect(scene.logged('keeper-left')).toHaveLength(1);
    },
  );

  test('ignores SIGHUP', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const { pid } = await keeper.ping();
    process.kill(pid, 'SIGHUP');
    expect((await keeper.ping()).pid).toBe(pid);
  });

  test('that is shut down answers, spares the named children, and starts no new one', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const spared = await keeper.start(scene.shell('spared', 'exec sleep 100'));
    await scene.startReady(keeper, scene.shell('slow', stubborn));
    const { pid } = await keeper.ping();
    const children = keeper.shutdown({ except: ['spared'] });
    const tooLate = keeper.start(scene.shell('late', 'exec sleep 100'));
    await expect(tooLate).rejects.toMatchObject({ code: 'KEEPER_UNREACHABLE' });
    expect(await children).toMatchObject([
      { name: 'spared', state: 'running' },
      { name: 'slow', state: 'exited', exit: { reason: 'stopped' } },
    ]);
    await untilGone(pid);
    expect(isAlive(spared.pid)).toBe(true);
    expect(await childNamed(await scene.keeper(), 'spared')).toEqual(spared);
  });

  test('survives its own errors and logs them', async () => {
    await using scene = new Scene();
    const mistakes = `process.on('SIGUSR2', () => {
      Promise.reject(new Error('first'));
      throw new Error('second');
    });`;
    writeFileSync(scene.path('mistakes.cjs'), mistakes);
    const args = ['--require', scene.path('mistakes.cjs'), main, scene.directory];
    const { pid } = spawn(process.execPath, args, { stdio: 'ignore' });
    const keeper = await until('it answers', () =>
      connectKeeper(scene.directory).catch(() => null),
    );
    process.kill(pid as number, 'SIGUSR2');
    await until('both were logged', () => scene.logged('mishap').length === 2);
    expect((await keeper.ping()).pid).toBe(pid);
    keeper.close();
  });
});
