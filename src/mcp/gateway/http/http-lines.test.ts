import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { HttpLines } from './http-lines.ts';

const yes = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A server that is told what to do with each request, connection by connection. */
async function serve(...turns: ((socket: Socket) => void)[]) {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => undefined).on('data', () => turns.shift()?.(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const lines = new HttpLines(new URL(`http://127.0.0.1:${port}/mcp`));
  const close = (): void => {
    lines.close();
    for (const socket of connections) socket.destroy();
    server.close();
  };
  return { lines, connections, [Symbol.dispose]: close };
}

const answer = (text: string) => (socket: Socket) => void socket.write(text);

test('consecutive requests share one connection', async () => {
  using server = await serve(answer(yes), answer(yes));
  for (let index = 0; index < 2; index++) {
    expect(await server.lines.send('x').answer).toMatchObject({ status: 200, text: 'ok' });
  }
  expect([server.connections.length, server.lines.idle]).toEqual([1, 1]);
});

test('two concurrent requests use one connection each', async () => {
  using server = await serve(answer(yes), answer(yes));
  await Promise.all([server.lines.send('x').answer, server.lines.send('x').answer]);
  expect([server.connections.length, server.lines.idle]).toEqual([2, 2]);
});

test('reuses no connection that its server closed or sent unexpected data on', async () => {
  using server = await serve(
    (socket) => void socket.end(yes),
    answer(yes + yes),
    answer(yes.replace('\r\n', '\r\nconnection: close\r\n')),
    answer(yes),
  );
  for (let index = 0; index < 4; index++) {
    expect(await server.lines.send('x').answer).toMatchObject({ text: 'ok' });
    await expect.poll(() => server.connections.length).toBe(index + 1);
    if (index === 0) await once(server.connections[0] as Socket, 'close');
  }
});

test.each<[string, (socket: Socket) => void, object]>([
  ['hangs up at once', (socket) => void socket.destroy(), { code: 'ECONNRESET' }],
  ['hangs up in the middle', (socket) => void socket.end(yes.slice(0, -1)), { code: 'ECONNRESET' }],
  ['answers with garbage', answer('what?\r\n\r\n'), { code: 'TOOL_IN_DOUBT' }],
])('a server that %s is told from one that answers', async (_, turn, error) => {
  using server = await serve(turn);
  await expect(server.lines.send('x').answer).rejects.toMatchObject(error);
  expect(server.lines.idle).toBe(0);
});

test('reports that no server listens at the address', async () => {
  const server = await serve();
  server[Symbol.dispose]();
  const refused = { code: 'ECONNREFUSED' };
  await expect(server.lines.send('x').answer).rejects.toMatchObject(refused);
});

test('an abandoned request ends at once on both sides', async () => {
  using server = await serve(() => undefined);
  const { answer: waiting, abandon } = server.lines.send('x');
  await expect.poll(() => server.connections.length).toBe(1);
  const hungUp = once(server.connections[0] as Socket, 'close');
  abandon(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await hungUp;
  expect(server.lines.idle).toBe(0);
});
