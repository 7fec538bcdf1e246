import { once } from 'node:events';
import { existsSync, lstatSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { socketPlace } from '../kernel/index.ts';
import { connectRouter, routerMain } from './index.ts';
import { end, Scene } from './scene.fixture.ts';

const unreachable = { code: 'ROUTER_UNREACHABLE', retryable: true };

async function refusal(scene: Scene, arguments_: string[], environment = {}): Promise<string> {
  const command = ['--disable-warning=ExperimentalWarning', routerMain, ...arguments_];
  const child = scene.spawn(command, environment);
  const output = text(child.stdout as NodeJS.ReadableStream);
  const [code] = await once(child, 'exit');
  expect(code).toBe(1);
  return output;
}

describe('a router', () => {
  test('publishes its address to its own user only', async () => {
    await using scene = await Scene.open();
    const { pid, port } = await scene.router.identity();
    expect(scene.readJson('router.json')).toEqual({ pid, port });
    expect(statSync(`${scene.directory}/router.json`).mode & 0o777).toBe(0o600);
    expect(lstatSync(`${scene.directory}/router.sock`).mode & 0o777).toBe(0o600);
  });

  test('works in a directory whose path is too long for a socket', async () => {
    await using scene = new Scene('d'.repeat(120));
    const child = await scene.startRouter();
    const { path, refuge } = socketPlace(scene.directory, 'router');
    expect(statSync(refuge as string).mode & 0o777).toBe(0o700);
    expect(refuge).not.toBe(socketPlace(scene.directory, 'keeper').refuge);
    await end(child);
    expect([existsSync(path), existsSync(refuge as string)]).toEqual([false, false]);
  });

  test('listens on the configured port', async () => {
    await using scene = new Scene();
    const first = await scene.startRouter();
    const { port } = scene;
    await end(first);
    await scene.startRouter({ SURETY_ROUTER_PORT: String(port) });
    expect(scene.port).toBe(port);
  });

  test('removes its socket but keeps its port for its successor', async () => {
    await using scene = new Scene();
    const child = await scene.startRouter();
    await end(child);
    expect(child.exitCode).toBe(0);
    expect(existsSync(`${scene.directory}/router.sock`)).toBe(false);
    expect(scene.readJson('router.json')).toMatchObject({ port: scene.port });
  });

  test('takes another port when another program has its previous one', async () => {
    await using scene = new Scene();
    await end(await scene.startRouter());
    const { port } = scene;
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    await scene.startRouter();
    expect(scene.port).not.toBe(port);
    expect(scene.readJson('router.json')).toMatchObject({ port: scene.port });
    other.close();
  });

  test('continues with the table of a killed predecessor', async () => {
    await using scene = await Scene.open();
    await scene.routeTo(await scene.serve((_, response) => response.end('edge')));
    const ask = () =>
      fetch(`http://127.0.0.1:${scene.port}/`, { headers: { baggage: 'surety-lane=k1' } });
    expect((await ask()).status).toBe(200);
    const table = await scene.router.table();
    process.kill((await scene.router.identity()).pid, 'SIGKILL');
    await expect(ask()).rejects.toThrow();
    await expect(scene.router.table()).rejects.toMatchObject(unreachable);
    const { port } = scene;
    const second = await scene.startRouter();
    expect([scene.port, await scene.router.table()]).toEqual([port, table]);
    expect((await ask()).status).toBe(200);
    const file = `${scene.directory}/router-table.json`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const k1 = { ...table.lanes.k1, lane: 'lane_1', overrides: {}, expiresAt: 1 };
    await scene.router.setTable({ ...table, lanes: { k1 } });
    second.kill('SIGKILL');
    await once(second, 'exit');
    const third = await scene.startRouter();
    expect((await ask()).status).toBe(503);
    // Told to leave, it leaves nothing to go on with; and what is damaged is not gone on with.
    await scene.router.setTable(table);
    await end(third);
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, JSON.stringify({ ...table, ingress: 'nobody' }));
    await scene.startRouter();
    expect((await ask()).status).toBe(503);
  });

  test('refuses to share its directory with a second router', async () => {
    await using scene = await Scene.open();
    expect(await refusal(scene, [scene.directory])).toContain('DIRECTORY_IN_USE');
    expect(await scene.router.identity()).toMatchObject({ port: scene.port });
  });

  test('reports why it cannot start', async () => {
    await using scene = new Scene();
    expect(await refusal(scene, [])).toContain('directory is missing');
    expect(await refusal(scene, [`${scene.directory}/none`])).toContain('There is no directory');
    expect(existsSync(`${scene.directory}/none`)).toBe(false);
    for (const port of ['x', '65536', '-1', '']) {
      const refused = await refusal(scene, [scene.directory], { SURETY_ROUTER_PORT: port });
      expect(refused).toContain('SURETY_ROUTER_PORT must be a port');
    }
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const refused = await refusal(scene, [scene.directory], { SURETY_ROUTER_PORT: String(port) });
    expect(refused).toContain('ROUTER_PORT_TAKEN');
    other.close();
  });

  test('lets a request in progress finish when it is asked to stop', async () => {
    await using scene = new Scene();
    const child = await scene.startRouter();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<() => void>();
    await scene.routeTo(await scene.serve((_, response) => arrive(() => response.end('done'))));
    const headers = { baggage: 'surety-lane=k1' };
    const answer = fetch(`http://127.0.0.1:${scene.port}/`, { headers });
    const finish = await arrived;
    child.kill('SIGTERM');
    finish();
    expect(await (await answer).text()).toBe('done');
    await once(child, 'exit');
  });
});

describe('a client of the router', () => {
  test.each(['state', 'state/none'])('reports that there is no router in %s', async (below) => {
    await using scene = new Scene();
    const client = connectRouter(scene.directory.replace(/state$/, below));
    await expect(client.table()).rejects.toMatchObject(unreachable);
  });

  test.each(['nonsense', 'HTTP/1.1 200 OK\r\n\r\nnonsense', 'HTTP/1.1 500 No\r\n\r\n{}'])(
    'reports an answer that makes no sense',
    async (words) => {
      await using scene = new Scene();
      const liar = createServer((socket) => socket.on('error', () => {}).end(words));
      liar.listen(`${scene.directory}/router.sock`);
      await once(liar, 'listening');
      await expect(scene.router.table()).rejects.toMatchObject(unreachable);
      liar.close();
    },
  );
});
