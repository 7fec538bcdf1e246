import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { keeperLimits } from '../limits.ts';
import { Scene, stubborn, until } from '../scene.fixture.ts';
import { hasProc } from '../strays/processes.ts';

/** Everything that the keeper says until it has said so many lines, or hangs up. */
async function answers(socket: Socket, count: number): Promise<Record<string, unknown>[]> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.split('\n').length > count) break;
  }
  return text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** A ping of exactly so many bytes, without the end of the line. */
function ping(bytes: number): string {
  const start = '{"id":1,"method":"ping","params":{}';
  return `${start}${' '.repeat(bytes - start.length - 1)}}`;
}

const invalid = expect.objectContaining({ code: 'KEEPER_REQUEST_INVALID' });

describe.runIf(hasProc).concurrent('the keeper', () => {
  test('answers many requests on one connection, each with its id', async () => {
    await using scene = new Scene();
    await scene.keeper();
    const socket = await scene.dial();
    // Cut in the middle of a line and of a character.
    const bytes = Buffer.from('{"id":"ä","method":"ping"}\n{"id":2,"method":"list"}\n{"id":3}\n');
    for (const byte of bytes) socket.write(Buffer.of(byte));
    expect(await answers(socket, 3)).toEqual([
      { id: 'ä', result: expect.objectContaining({ version: expect.any(String) }) },
      { id: 2, result: [] },
      { id: null, fault: invalid },
    ]);
    socket.destroy();
  });

  test('names the request that it refuses, and the reason', async () => {
    await using scene = new Scene();
    await scene.keeper();
    const socket = await scene.dial();
    socket.write('{"id":8,"method":"stop","params":{"name":"../etc"}}\nGET / HTTP/1.1\n');
    const [refused, garbage] = await answers(socket, 2);
    expect(refused).toEqual({ id: 8, fault: invalid });
    expect(garbage).toEqual({ id: null, fault: invalid });
    socket.destroy();
  });

  test('reads a message of the maximum length, and disconnects on a longer one', async () => {
    await using scene = new Scene();
    await scene.keeper();
    const longest = await scene.dial();
    longest.write(`${ping(keeperLimits.keeperMessageBytesMax)}\n`);
    expect(await answers(longest, 1)).toEqual([{ id: 1, result: expect.anything() }]);
    longest.destroy();
    const longer = await scene.dial();
    longer.write(`${ping(keeperLimits.keeperMessageBytesMax + 1)}\n`);
    expect(await answers(longer, 2)).toEqual([{ id: null, fault: invalid }]);
    longer.destroy();
  });

  test('disconnects on an endless line before it has read all of it', async () => {
    await using scene = new Scene();
    await scene.keeper();
    const socket = await scene.dial();
    const chunk = 'x'.repeat(64 * 1024);
    let isOver = false;
    socket.once('close', () => {
      isOver = true;
    });
    socket.resume();
    await until('it hung up', () => {
      if (!isOver) socket.write(chunk);
      return isOver;
    });
  });

  test('answers a client that has already closed its sending side', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    await scene.startReady(keeper, scene.shell('slow', stubborn));
    const socket = await scene.dial();
    socket.end('{"id":1,"method":"stop","params":{"name":"slow"}}\n');
    const reason = 'stopped';
    expect(await answers(socket, 2)).toMatchObject([{ id: 1, result: { reason } }]);
  });

  // proves: keeper.bad-input
  test('tolerates clients that vanish or stall', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    for (let client = 0; client < 20; client++) {
      const vanishing = await scene.dial();
      vanishing.write('{"id":1,"method":"list"}\n{"id":2,"met');
      vanishing.destroy();
    }
    const stalling = await scene.dial();
    stalling.write('{"id":1,');
    expect(await keeper.list()).toEqual([]);
    stalling.destroy();
    expect(await keeper.list()).toEqual([]);
    expect(scene.logged('mishap')).toEqual([]);
  });

  test('stops reading from a client that does not read its answers', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const deaf = await scene.dial();
    deaf.pause();
    deaf.write('{"id":1,"method":"ping"}\n'.repeat(200_000));
    const unheard = await until('it makes no progress', async () => {
      const before = deaf.writableLength;
      for (let ping = 0; ping < 20; ping++) await keeper.ping();
      return deaf.writableLength === before ? { bytes: before } : null;
    });
    expect(unheard.bytes).toBeGreaterThan(0);
    deaf.destroy();
    expect(await keeper.list()).toEqual([]);
  });

  test('keeps its children alive when it receives invalid requests', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const socket = await scene.dial();
    const child = await keeper.start(scene.shell('steady', 'exec sleep 100'));
    socket.write('\0\xff[[[\n{"id":1,"method":"shutdown","params":{"except":"all"}}\n');
    await answers(socket, 2);
    socket.destroy();
    expect(await keeper.list()).toEqual([child]);
  });

  test('limits the number of clients', async () => {
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const others = keeperLimits.keeperConnectionsMax - 1;
    const clients = await Promise.all(Array.from({ length: others }, () => scene.dial()));
    const last = clients.at(-1) as Socket;
    last.write('{"id":1,"method":"list"}\n');
    expect(await answers(last, 1)).toHaveLength(1);
    const oneMore = await scene.dial();
    await once(oneMore.resume(), 'close');
    expect(await keeper.list()).toEqual([]);
    for (const client of clients) client.destroy();
    await until('there is room again', async () => {
      const next = await scene.dial();
      next.write('{"id":1,"method":"list"}\n');
      const heard = await answers(next, 1);
      next.destroy();
      return heard.length === 1;
    });
  });
});
