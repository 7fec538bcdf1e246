import { describe, expect, test } from 'vitest';
import { freePort } from '../../../tests/harness/free-ports.ts';
import { serviceNodes } from '../old-node.fixture.ts';
import { runTagged } from '../script.fixture.ts';
import { Service } from '../service.fixture.ts';

describe.each(serviceNodes)('a server on %s', (node) => {
  test('of a second version listens beside the first version', async () => {
    await using first = await Service.start({ node, tag: {} });
    const listenPort = await freePort();
    await using second = await Service.start({
      node,
      tag: { listenPort },
      environment: { PORT: String(first.port) },
    });
    expect([second.port, second.host]).toEqual([listenPort, '127.0.0.1']);
    expect((await second.ask('/reply/implicit')).status).toBe(200);
    expect((await first.ask('/reply/implicit')).status).toBe(200);
  });

  test.each([
    ['a port', 'server.listen(port, done)'],
    ['a port as text', 'server.listen(String(port), done)'],
    ['a port and a host', `server.listen(port, '0.0.0.0', done)`],
    ['a port, a host and a backlog', `server.listen(port, '0.0.0.0', 5, done)`],
    ['an object', `server.listen({ port, host: '::', ipv6Only: true }, done)`],
    ['nothing', 'server.listen(done)'],
    ['any port', 'server.listen(0, done)'],
  ])('is moved when it is told to listen on %s', async (_, listen) => {
    const moved = await freePort();
    const shown = await runTagged(node, listen, { SURETY_LISTEN_PORT: String(moved) });
    expect(shown).toEqual([{ address: '127.0.0.1', family: 'IPv4', port: moved }]);
  });

  test('that closes and listens again is moved again', async () => {
    const moved = await freePort();
    const again = 'server.listen(port, () => server.close(() => server.listen(port, done)))';
    const shown = await runTagged(node, again, { SURETY_LISTEN_PORT: String(moved) });
    expect(shown).toMatchObject([{ port: moved }]);
  });

  test('is moved without affecting pipes, other servers and child processes', async () => {
    const moved = await freePort();
    const script = `
      const fs = require('node:fs');
      // Not named by its pid: that of a process of an earlier run may be the same.
      const directory = fs.mkdtempSync(require('node:os').tmpdir() + '/surety-listen-');
      const path = directory + '/socket';
      server.listen(path, () => {
        const main = net.createServer().listen(port, '127.0.0.1', () => {
          const other = net.createServer().listen(0, '127.0.0.1', () => {
            const child = { left: process.env.SURETY_LISTEN_PORT ?? null };
            const all = [server.address() === path, main.address(), other.address(), child];
            fs.rmSync(directory, { recursive: true });
            show(all);
          });
        });
      });`;
    const [isPipe, main, other, child] = await runTagged(node, script, {
      SURETY_LISTEN_PORT: String(moved),
    });
    expect(isPipe).toBe(true);
    expect(main).toMatchObject({ port: moved });
    expect(other).not.toMatchObject({ port: moved });
    expect(child).toEqual({ left: null });
  });

  test("on the service's own port is moved, others in the process get free ports", async () => {
    const [moved, own, metrics] = [await freePort(), await freePort(), await freePort()];
    const script = `
      const answer = (text) => (socket) => socket.end(text);
      const first = net.createServer(answer('metrics')).listen(${metrics}, '0.0.0.0', () => {
        const main = net.createServer().listen(${own}, '::', () => {
          const socket = net.connect(${metrics}, 'localhost', () => {});
          socket.on('data', (text) => show([main.address(), first.address(), String(text)]));
        });
      });`;
    const [main, first, heard] = await runTagged(node, script, {
      SURETY_LISTEN_PORT: String(moved),
      SURETY_OWN_PORT: String(own),
    });
    expect(main).toEqual({ address: '127.0.0.1', family: 'IPv4', port: moved });
    // It could take the port from the baseline, while that restarts.
    expect(first).not.toMatchObject({ port: metrics });
    expect(heard).toBe('metrics');
  });

  test("that already listens on the lane's port stays there", async () => {
    const [moved, own] = [await freePort(), await freePort()];
    const script = `server.listen(${moved}, done)`;
    const environment = { SURETY_LISTEN_PORT: String(moved), SURETY_OWN_PORT: String(own) };
    expect(await runTagged(node, script, environment)).toMatchObject([{ port: moved }]);
  });

  test.each(['http', 'https', 'http2'])('of %s on a port below 1024 is moved', async (kind) => {
    const moved = await freePort();
    const script = `require('node:${kind}').createServer().listen(80, '0.0.0.0', function () {
      show([this.address()]);
    });`;
    const environment = { SURETY_LISTEN_PORT: String(moved), SURETY_OWN_PORT: '80' };
    expect(await runTagged(node, script, environment)).toMatchObject([{ port: moved }]);
  });

  test('is still refused with listen arguments that Node refuses', async () => {
    const script = `
      const codes = [70000, -1, 'x'.repeat(200)].map((port) => {
        try { net.createServer().on('error', () => {}).listen(port); return 'ok'; }
        catch (error) { return error.code; }
      });
      show(codes);`;
    const environment = { SURETY_LISTEN_PORT: String(await freePort()) };
    expect(await runTagged(node, script, environment)).toEqual(await runTagged(node, script, {}));
  });
});

// Where the system can't share a port, the new version waits for the old one to leave.
test.runIf(process.platform === 'linux')(
  'a new version takes over the port of the old one',
  async () => {
    const tag = { reusePort: true };
    const environment = { PORT: String(await freePort()) };
    await using first = await Service.start({ tag, environment });
    await using second = await Service.start({ tag, environment });
    expect(second.port).toBe(first.port);
    await first[Symbol.asyncDispose]();
    expect((await second.ask('/reply/implicit')).status).toBe(200);
  },
);
