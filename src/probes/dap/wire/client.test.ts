import { afterEach, describe, expect, test } from 'vitest';
import { dapLimits } from '../limits.ts';
import { reapAdapter, startAdapter, streamOfProcess } from './adapter-process.ts';
import { DapClient, DapError } from './client.ts';
import { DapFrameReader, DapFramingError, encodeMessage } from './framing.ts';

const peer = new URL('./peer.fixture.mjs', import.meta.url).pathname;
const open: Disposable[] = [];

afterEach(() => {
  for (const peer of open.splice(0)) peer[Symbol.dispose]();
});

async function startPeer(): Promise<DapClient> {
  const adapter = await startAdapter(process.execPath, [peer]);
  open.push({ [Symbol.dispose]: () => void adapter.child.kill('SIGKILL') });
  return new DapClient(streamOfProcess(adapter));
}

const failureOf = async (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => 'answered',
    (error) => (error instanceof DapError ? [error.failure, error.message] : error),
  );

describe('a session with a debug adapter', () => {
  test('gives each answer to its request', async () => {
    const client = await startPeer();
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    const answers = await Promise.all(numbers.map((number) => client.request('echo', { number })));
    expect(answers.map(({ number }) => number)).toEqual(numbers);
  });

  test('understands messages that arrive byte by byte, with further headers', async () => {
    const client = await startPeer();
    expect(await client.request('bytes')).toEqual({ a: 'é' });
  });

  test("reports the adapter's own words when it refuses a request", async () => {
    const client = await startPeer();
    expect(await failureOf(client.request('refuse'))).toEqual(['refused', 'not today']);
  });

  test('stops waiting after the time-out and asks the adapter to cancel', async () => {
    const client = await startPeer();
    const cancelled = client.next('cancelled', 10_000);
    expect(await failureOf(client.request('silent', {}, { timeoutMs: 1 }))).toEqual([
      'timeout',
      'silent was not answered in 1 ms',
    ]);
    expect(await cancelled).toEqual({ requestId: 1 });
  });

  test('stops waiting when the caller cancels', async () => {
    const client = await startPeer();
    const controller = new AbortController();
    const answer = client.request('silent', {}, { signal: controller.signal });
    controller.abort();
    expect(await failureOf(answer)).toEqual(['cancelled', 'silent was cancelled']);
    const late = client.request('echo', {}, { signal: controller.signal });
    expect(await failureOf(late)).toEqual(['cancelled', 'echo was cancelled']);
  });

  test('fails every waiting request when the adapter crashes, with what it wrote last', async () => {
    const client = await startPeer();
    const waiting = failureOf(client.request('silent'));
    const crashed = failureOf(client.request('crash'));
    const reason = ['closed', 'it ended with status 3 it broke'];
    expect(await Promise.all([waiting, crashed])).toEqual([reason, reason]);
    expect(await failureOf(client.request('echo'))).toEqual(reason);
    expect(await failureOf(client.next('stopped', 1_000))).toEqual(reason);
  });

  test('ends when the adapter does not speak the protocol', async () => {
    const client = await startPeer();
    expect(await failureOf(client.request('lie'))).toEqual([
      'closed',
      'it does not keep to the protocol: a header has no Content-Length',
    ]);
  });

  test('refuses what the adapter asks of it', async () => {
    const client = await startPeer();
    const answered = client.next('answered', 10_000);
    await client.request('ask');
    expect(await answered).toMatchObject({ request_seq: 900, success: false });
  });

  test('bounds the requests that wait for an answer', async () => {
    const client = await startPeer();
    const waiting = Array.from({ length: dapLimits.dapRequestsMax }, () =>
      failureOf(client.request('silent')),
    );
    expect(await failureOf(client.request('silent'))).toMatchObject(['overloaded', /64 requests/]);
    client.close();
    const ends = await Promise.all(waiting);
    expect(ends).toEqual(ends.map(() => ['closed', 'the session was closed']));
  });

  test('ends an adapter that does not leave when its input ends', async () => {
    const stays = 'setInterval(() => {}, 1000)';
    const adapter = await startAdapter(process.execPath, ['-e', stays]);
    expect(await reapAdapter(adapter, 1)).toBe(false);
    const leaves = await startAdapter(process.execPath, [peer]);
    leaves.child.stdin.end();
    expect(await reapAdapter(leaves, 60_000)).toBe(true);
  });

  test('reports a program that cannot be started', async () => {
    await expect(startAdapter('/nonexistent/adapter', [])).rejects.toThrow('ENOENT');
  });
});

describe('messages of a debug adapter', () => {
  const sized = (bytes: number): Buffer => {
    const frame = JSON.stringify({ text: '' }).length;
    return encodeMessage({ text: 'x'.repeat(bytes - frame) });
  };

  test('may be as long as the limit, and not one byte longer', () => {
    const max = dapLimits.dapMessageBytesMax;
    expect(new DapFrameReader().read(sized(max))).toHaveLength(1);
    expect(() => new DapFrameReader().read(sized(max + 1))).toThrow(DapFramingError);
  });

  test('may have a header as long as the limit, and not one byte longer', () => {
    const max = dapLimits.dapHeaderBytesMax;
    const header = 'Content-Length: 2';
    const padded = (bytes: number): Buffer =>
      Buffer.from(`X: ${'x'.repeat(bytes - header.length - 5)}\r\n${header}\r\n\r\n{}`);
    expect(new DapFrameReader().read(padded(max))).toEqual([{}]);
    expect(() => new DapFrameReader().read(padded(max + 1))).toThrow(DapFramingError);
    expect(() => new DapFrameReader().read(Buffer.alloc(max + 1, 'x'))).toThrow(DapFramingError);
  });

  test.each(['nonsense', '[1', '7', 'null'])(
    'that are not JSON objects are refused: %s',
    (body) => {
      const frame = Buffer.from(`Content-Length: ${body.length}\r\n\r\n${body}`);
      expect(() => new DapFrameReader().read(frame)).toThrow(DapFramingError);
    },
  );

  test('that arrive together are read one after the other', () => {
    const frames = Buffer.concat([encodeMessage({ a: 1 }), encodeMessage({ b: 2 })]);
    const reader = new DapFrameReader();
    expect(reader.read(frames.subarray(0, 30))).toEqual([{ a: 1 }]);
    expect(reader.read(frames.subarray(30))).toEqual([{ b: 2 }]);
  });
});
