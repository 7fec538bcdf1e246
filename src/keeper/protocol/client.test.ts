import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { keeperLimits } from '../limits.ts';
import { Scene, stubborn } from '../scene.fixture.ts';
import { hasProc } from '../strays/processes.ts';
import { connectKeeper } from './client.ts';

const unreachable = { code: 'KEEPER_UNREACHABLE', retryable: true };

/** Answers a ping at once and a list after so many pings, in a process that nothing delays. */
async function startSlowKeeper(path: string, pings: number): Promise<AsyncDisposable> {
  const program = `
    let [asked, list] = [0, 0];
    require('node:net').createServer((socket) => {
      const answer = (id, result) => socket.write(JSON.stringify({ id, result }) + '\\n');
      socket.on('error', () => {}).on('data', (data) => {
        for (const line of data.toString().trim().split('\\n')) {
          const { id, method } = JSON.parse(line);
          if (method === 'list') list = id;
          else answer(id, {});
          if (method === 'ping' && list > 0 && ++asked === ${pings}) answer(list, []);
        }
      });
    }).listen(${JSON.stringify(path)}, () => console.log('listening'));`;
  const keeper = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(keeper.stdout, 'data');
  return {
    async [Symbol.asyncDispose]() {
      keeper.kill('SIGKILL');
      await once(keeper, 'exit');
    },
  };
}

describe.runIf(hasProc).concurrent('a client', () => {
  test.each([
    ['there is no keeper', 'state'],
    ['there is no directory', 'state/none'],
  ])('reports when %s', async (_, below) => {
    await using scene = new Scene();
    const directory = scene.directory.replace(/state$/, below);
    await expect(connectKeeper(directory)).rejects.toMatchObject(unreachable);
  });

  test('reports when only the socket of a killed keeper is left', async () => {
    await using scene = new Scene();
    await scene.killKeeper();
    await expect(connectKeeper(scene.directory)).rejects.toMatchObject(unreachable);
  });

  test('reports when the keeper dies before it answers, and on every later call', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    await scene.startReady(keeper, scene.shell('slow', stubborn));
    const { pid } = await keeper.ping();
    const answer = keeper.stop('slow');
    process.kill(pid, 'SIGKILL');
    await expect(answer).rejects.toMatchObject(unreachable);
    await expect(keeper.ping()).rejects.toMatchObject(unreachable);
  });

  test('waits for an answer up to a time limit', async () => {
    await using scene = new Scene();
    const deaf = createServer(() => {}).listen(scene.path('keeper.sock'));
    const attempt = connectKeeper(scene.directory, { answerMsMax: 50 });
    await expect(attempt).rejects.toMatchObject({
      ...unreachable,
      message: expect.stringContaining('no answer to ping in 50 ms'),
    });
    deaf.close();
  });

  test('waits longer for an answer while the keeper answers pings', async () => {
    await using scene = new Scene();
    await using _ = await startSlowKeeper(scene.path('keeper.sock'), 2);
    const keeper = await connectKeeper(scene.directory, { answerMsMax: 2_000 });
    await expect(keeper.list()).resolves.toEqual([]);
    keeper.close();
  });

  test('waits for an answer up to another time limit while the keeper answers pings', async () => {
    await using scene = new Scene();
    await using _ = await startSlowKeeper(scene.path('keeper.sock'), 10_000);
    const limits = { answerMsMax: 2_000, workMsMax: 2_500 };
    const keeper = await connectKeeper(scene.directory, limits);
    await expect(keeper.list()).rejects.toMatchObject({
      ...unreachable,
      message: expect.stringContaining('no answer to list in 2500 ms'),
    });
    keeper.close();
  });

  test.each([
    'nonsense\n',
    'null\n',
    '{"id":1}',
    'x'.repeat(keeperLimits.keeperMessageBytesMax + 1),
  ])('reports an answer that makes no sense', async (words) => {
    await using scene = new Scene();
    const liar = createServer((socket) => socket.on('error', () => {}).end(words));
    liar.listen(scene.path('keeper.sock'));
    await expect(connectKeeper(scene.directory)).rejects.toMatchObject(unreachable);
    liar.close();
  });

  test('reports that its connection was closed', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const answer = keeper.list();
    keeper.close();
    await expect(answer).rejects.toMatchObject(unreachable);
    await expect(keeper.list()).rejects.toMatchObject(unreachable);
  });

  test('sends a message of the maximum length, and refuses a longer one', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const order = scene.shell('long', 'exec sleep 100');
    // Every id of this test has one digit.
    const id = 1;
    const bytes = JSON.stringify({
      id,
      method: 'start',
      params: { ...order, command: ['sh', ''] },
    }).length;
    const fitting = keeperLimits.keeperMessageBytesMax - bytes;
    const longer = { ...order, command: ['sh', 'x'.repeat(fitting + 1)] };
    await expect(keeper.start(longer)).rejects.toMatchObject({ code: 'KEEPER_REQUEST_INVALID' });
    // The operating system takes no argument of this length; that it says so shows that it came
    // through.
    const longest = { ...order, command: ['sh', 'x'.repeat(fitting)] };
    await expect(keeper.start(longest)).rejects.toMatchObject({
      code: 'PROCESS_START_FAILED',
      message: expect.stringContaining('E2BIG'),
    });
  });
});
