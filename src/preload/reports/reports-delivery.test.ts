import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isDeep } from '../../../tests/harness/deep.ts';
import { until } from '../../../tests/harness/until.ts';
import { serviceNodes } from '../old-node.fixture.ts';
import { Receiver } from '../receiver.fixture.ts';
import { runTagged } from '../script.fixture.ts';

const load = createRequire(import.meta.url);
const { frontOf } = load('./otlp/batch.cjs');
const { Outbox } = load('./otlp/outbox.cjs');

interface Outbox {
  readonly dropped: Readonly<Record<string, number>>;
  open(kind: string, bytes: number): { bytes: Buffer; at: number } | undefined;
  added(batch: unknown): void;
  beforeSending(write: () => void): void;
}

/** An outbox whose timers are counted: how many waited at once, at most. */
function countedTimers(): { Outbox: typeof Outbox; most(): number } {
  const timers = load('node:timers');
  const { setTimeout: direct } = timers;
  const file = load.resolve('./otlp/outbox.cjs');
  const counts = { waiting: 0, most: 0 };
  timers.setTimeout = (act: () => void, ms: number) => {
    counts.most = Math.max(counts.most, ++counts.waiting);
    return direct(() => {
      counts.waiting--;
      act();
    }, ms);
  };
  const { [file]: usual } = load.cache;
  delete load.cache[file];
  const counted = load(file).Outbox;
  load.cache[file] = usual;
  timers.setTimeout = direct;
  return { Outbox: counted, most: () => counts.most };
}

const nodes = isDeep ? serviceNodes : [process.execPath];

describe('reports', () => {
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await Receiver.open();
  });
  afterEach(async () => receiver[Symbol.asyncDispose]());

  const outboxTo = (address: string, Kind = Outbox): Outbox => {
    const [host = '', port] = address.split(':');
    return new Kind({ host, port: Number(port) }, frontOf(Buffer.alloc(0)));
  };

  /** An empty span, or another item; whether it was taken. */
  const put = (outbox: Outbox, kind = 'spans', item = [0x12, 0]): boolean => {
    const batch = outbox.open(kind, item.length);
    if (batch === undefined) return false;
    for (const byte of item) batch.bytes[batch.at++] = byte;
    outbox.added(batch);
    return true;
  };

  /** One thing is on its way at a time: what comes after others shows that they were answered. */
  const untilAnswered = async (outbox: Outbox): Promise<void> => {
    const came = () => receiver.paths.filter((path) => path === '/v1/metrics').length;
    const before = came();
    put(outbox, 'metrics', [0x12, 2, 0x2a, 0]);
    await until('the answer was heard', () => came() > before);
  };

  test('arrive together and completely', async () => {
    const outbox = outboxTo(receiver.address);
    for (let count = 0; count < 10_000; count++) expect(put(outbox)).toBe(true);
    await until('all are there', () => receiver.spans.length === 10_000);
    expect(receiver.paths.length).toBeLessThan(5);
    for (let count = 0; count < 100; count++) put(outbox);
    await until('these, too', () => receiver.spans.length === 10_100);
    expect(outbox.dropped).toEqual({ spans: 0, logs: 0, metrics: 0 });
  });

  test('wait for one timer at a time, however long a service is busy', async () => {
    const timers = countedTimers();
    const outbox = outboxTo(receiver.address, timers.Outbox);
    let written = 0;
    outbox.beforeSending(() => {
      written++;
      if (written < 6) put(outbox);
    });
    put(outbox);
    await until('all are there', () => receiver.spans.length === 6);
    expect(timers.most()).toBe(1);
  });

  test('are collected in two alternating batches', async () => {
    const outbox = outboxTo(receiver.address);
    const batches = new Set<unknown>();
    let taken = 0;
    for (let turn = 1; turn <= 4; turn++) {
      const used = new Set<unknown>();
      await until('one is filled while the other one leaves', () => {
        used.add(outbox.open('spans', 2));
        // More than is sent at once, so that the next waits for its time.
        for (let count = 0; count < 33_000; count++) if (put(outbox)) taken++;
        return used.add(outbox.open('spans', 2)).size === 2;
      });
      for (const batch of used) batches.add(batch);
      await until('all are there', () => receiver.spans.length === taken);
      // Both are to be empty at once.
      await untilAnswered(outbox);
    }
    expect(batches.size).toBe(2);
  });

  test('are sent again to a receiver that was busy or hung up, and arrive once', async () => {
    const outbox = outboxTo(receiver.address);
    const answers = [
      (response: Answer) => response.writeHead(503).end('later'),
      (response: Answer) => response.destroy(),
    ];
    receiver.answer = (_, response) => {
      answers.shift()?.(response);
      if (answers.length === 0) receiver.answer = undefined;
    };
    put(outbox);
    await until('it is there', () => receiver.spans.length === 1);
    put(outbox);
    await until('the next is there', () => receiver.spans.length === 2);
    expect(receiver.paths).toHaveLength(4);
    expect(outbox.dropped.spans).toBe(0);
  });

  test('are counted as lost when the receiver refuses them', async () => {
    const outbox = outboxTo(receiver.address);
    receiver.answer = (_, response) => void response.writeHead(400).end();
    put(outbox);
    await until('it is counted', () => outbox.dropped.spans === 1);
    receiver.answer = undefined;
    put(outbox);
    await until('the next is there', () => receiver.spans.length === 1);
  });

  test('use bounded memory while nobody accepts them, and are counted beyond that', () => {
    const outbox = outboxTo('127.0.0.1:1');
    let taken = 0;
    while (put(outbox)) taken++;
    // One batch that waits for an answer, and one that is filled meanwhile.
    expect(taken * 2).toBeGreaterThan(512 * 1024 - 4_096);
    expect(taken * 2).toBeLessThanOrEqual(1024 * 1024);
    put(outbox);
    expect(outbox.dropped.spans).toBe(2);
  });
});

type Answer = Parameters<NonNullable<Receiver['answer']>>[1];

/** Servers that no receiver should be like. */
const mishaps: Readonly<Record<string, (server: Server) => void>> = {
  'hangs up': (server) => server.on('connection', (socket) => socket.destroy()),
  'never answers': (server) => server.on('connection', (socket) => socket.resume()),
  'never reads': (server) => server.on('connection', (socket) => socket.pause()),
  'talks nonsense': (server) =>
    server.on('connection', (socket) => socket.resume().end('nonsense\r\n\r\nnonsense')),
  'never ends': (server) =>
    server.on('connection', (socket) => {
      socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(50_000)}`));
    }),
};

const work = `
  const http = require('node:http');
  // If anything of ours keeps this process alive, this is how it ends.
  setTimeout(() => process.exit(7), 120_000).unref();
  const served = http.createServer((_, response) => response.end('ok'));
  served.listen(0, '127.0.0.1', async () => {
    const agent = new http.Agent({ keepAlive: true });
    const options = { port: served.address().port, host: '127.0.0.1', agent };
    const texts = [];
    for (let count = 0; count < 200; count++) {
      texts.push(await new Promise((resolve) => {
        http.get(options, (answer) => answer.on('data', (text) => resolve(String(text))));
      }));
      if (count === 100) await new Promise((resolve) => setTimeout(resolve, 300));
    }
    agent.destroy();
    served.close();
    process.stdout.write(JSON.stringify([texts.every((text) => text === 'ok'), texts.length]));
  });`;

describe.each(nodes)('a service on %s', (node) => {
  // proves: telemetry.reports-harmless
  test('serves and ends as usual, whatever the receiver does', async () => {
    const servers = Object.entries(mishaps).map(async ([how, prepare]) => {
      const server = createServer().listen(0, '127.0.0.1');
      // Services that have done their work hang up in the midst of an answer.
      server.on('connection', (socket) => socket.on('error', () => {}));
      prepare(server);
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      return { how, address: `127.0.0.1:${port}`, close: () => server.close() };
    });
    const nobody = ['127.0.0.1:1', 'nonsense', ''].map((address) => ({
      how: address,
      address,
      close: () => {},
    }));
    const receivers = [...(await Promise.all(servers)), ...nobody];
    const told = receivers.map(async ({ how, address, close }) => {
      const said = await runTagged(node, work, { SURETY_TELEMETRY: address });
      close();
      return [how, said];
    });
    expect(await Promise.all(told)).toEqual(receivers.map(({ how }) => [how, [true, 200]]));
  });

  test('sends its remaining reports when it ends', async () => {
    await using receiver = await Receiver.open();
    const last = work.replace(
      'served.close();',
      "http.get({ ...options, path: '/last' }, (answer) => answer.resume().on('end', () => process.exit(0)));",
    );
    await runTagged(node, last, { SURETY_TELEMETRY: receiver.address });
    await until('the last is there', () => receiver.spans.some(({ name }) => name === 'GET /last'));
    expect(receiver.spans.filter(({ kind }) => kind === 'client').length).toBeGreaterThanOrEqual(
      200,
    );
  });

  test('loses no report because of another one that is far too large', async () => {
    await using receiver = await Receiver.open();
    const absurd = work.replace(
      'const texts = [];',
      "const texts = []; http.get({ host: 'a'.repeat(20_000) }).on('error', () => {});",
    );
    expect(await runTagged(node, absurd, { SURETY_TELEMETRY: receiver.address })).toEqual([
      true,
      200,
    ]);
    await until('all are there', () => receiver.spans.length >= 401);
    const served = receiver.spans.filter(({ kind }) => kind === 'server');
    expect(served).toHaveLength(200);
  });

  test('loads nothing for reports that it does not make', async () => {
    const script = `show(Object.keys(require.cache).filter((file) => file.includes('/preload/reports/')));`;
    expect(await runTagged(node, script, {})).toEqual([]);
    expect(await runTagged(node, script, { SURETY_TELEMETRY: '127.0.0.1:1' })).not.toEqual([]);
  });
});
