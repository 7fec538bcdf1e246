import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BrokenFraming, ChunkedFraming } from './body-framing.ts';
import { readPlainHead } from './request-head.ts';
import { ResponseFraming } from './response-framing.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const request = (...lines: string[]): Buffer =>
  bytes(`${['GET /a HTTP/1.1', 'Host: a', ...lines].join('\r\n')}\r\n\r\n`);

describe('the head of a request', () => {
  test('is plain if the router need not look at it', () => {
    const plain = readPlainHead(Buffer.concat([request(), bytes('next')]), 'x-lane');
    expect(plain).toMatchObject({ end: request().length, body: null, isRepeatable: true });
    const upload = bytes('POST / HTTP/1.1\r\nhost:a\r\nContent-Length: 3\r\n\r\nabcdef');
    const head = readPlainHead(upload, undefined);
    expect(head?.isRepeatable).toBe(false);
    expect(head?.body?.take(upload.subarray(head.end))).toBe(3);
    expect(readPlainHead(request(`traceparent: 00-${'ab'.repeat(16)}-b7-01`), 'x')).not.toBeNull();
  });

  test.each<[string, Buffer]>([
    ['is not complete', bytes('GET / HTTP/1.1\r\nHost: a\r\n')],
    ['carries a key in its baggage', request('Baggage: user=1,surety-lane=k1')],
    ['carries a key in its tracestate', request('TraceState: surety=k1')],
    ['carries a key in the header of the table', request('X-Lane: k1')],
    [
      'has a trace id with a tag',
      request(`TraceParent: 00-5e1a${'0'.repeat(28)}-${'1'.repeat(16)}-01`),
    ],
    ['names what is only for the router', request('X-Surety-To: a:1')],
    ['asks for another protocol', request('Upgrade: websocket')],
    ['waits before its body', request('Expect: 100-continue')],
    ['announces trailers', request('Trailer: x')],
    ['names headers in Connection', request('Connection: keep-alive, x-own')],
    ['has two lengths', request('Content-Length: 1', 'Content-Length: 1')],
    ['has a length and chunks', request('Content-Length: 1', 'Transfer-Encoding: chunked')],
    ['has a length that is no number', request('Content-Length: +1')],
    ['has an unknown coding', request('Transfer-Encoding: gzip, chunked')],
    ['has two hosts', request('Host: b')],
    ['has a name with a space', request('Content-Length : 1')],
    ['has a folded line', request('X-A: 1', ' more')],
    ['has a bare line feed', request('X-A: 1\nContent-Length: 5')],
    ['is of HTTP/1.0', bytes('GET / HTTP/1.0\r\nHost: a\r\n\r\n')],
    ['names a host in its target', bytes('GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n')],
  ])('is for the router if it %s', (_, head) => {
    expect(readPlainHead(head, 'x-lane')).toBeNull();
  });
});

interface Message {
  readonly text: string;
  readonly isToHead?: boolean;
}

const content = fc.string({ unit: fc.constantFrom('a', '\r', '\n', '0'), maxLength: 20 });
const chunked = fc
  .tuple(fc.array(content.filter((text) => text !== '')), fc.boolean())
  .map(([chunks, hasTrailer]) => {
    const framed = chunks.map((text) => `${text.length.toString(16)};x=1\r\n${text}\r\n`);
    return `Transfer-Encoding: chunked\r\n\r\n${framed.join('')}0\r\n${hasTrailer ? 'x-a: 1\r\n' : ''}\r\n`;
  });
const withLength = content.map((text) => `Content-Length: ${text.length}\r\n\r\n${text}`);
const ok = 'HTTP/1.1 200 OK\r\n';
const response: fc.Arbitrary<Message> = fc.oneof(
  chunked.map((rest) => ({ text: `${ok}${rest}` })),
  withLength.map((rest) => ({ text: `HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${ok}${rest}` })),
  fc.constantFrom('204 No Content', '304 Not Modified').map((status) => ({
    text: `HTTP/1.1 ${status}\r\nContent-Length: 5\r\n\r\n`,
  })),
  fc.constant({ text: `${ok}Content-Length: 5\r\n\r\n`, isToHead: true }),
);

/** Pieces of these sizes, which repeat. */
function cut(text: string, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, index = 0; at < text.length; index++) {
    const size = sizes[index % sizes.length] as number;
    pieces.push(bytes(text.slice(at, at + size)));
    at += size;
  }
  return pieces;
}

const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 });

describe('the framing of a response', () => {
  test('ends where the response ends, however it is cut', () => {
    fc.assert(
      fc.property(response, sizes, ({ text, isToHead = false }, cuts) => {
        const framing = new ResponseFraming(isToHead);
        const pieces = cut(`${text}HTTP/1.1 408`, cuts);
        const taken = pieces.reduce((sum, piece) => sum + framing.take(piece), 0);
        expect([framing.isDone, taken]).toEqual([true, text.length]);
      }),
    );
  });

  test('knows when the connection ends with it', () => {
    const framing = new ResponseFraming(false);
    framing.take(bytes('HTTP/1.0 200 OK\r\n\r\nsome'));
    expect([framing.isDone, framing.endsWithConnection, framing.closes]).toEqual([
      false,
      true,
      true,
    ]);
    const last = new ResponseFraming(false);
    last.take(bytes(`${ok}Content-Length: 0\r\nConnection: Close\r\n\r\n`));
    expect([last.isDone, last.closes]).toEqual([true, true]);
  });

  test.each([
    ['no status line', 'hello\r\n\r\n'],
    ['a length that is no number', `${ok}Content-Length: 1, 1\r\n\r\n`],
    ['a chunk without a size', `${ok}Transfer-Encoding: chunked\r\n\r\nz\r\n`],
  ])('is broken by %s', (_, text) => {
    expect(() => new ResponseFraming(false).take(bytes(text))).toThrow(BrokenFraming);
  });

  test('is broken by a chunk that is longer than its size', () => {
    expect(() => new ChunkedFraming().take(bytes('1\r\nab\r\n'))).toThrow(BrokenFraming);
  });
});
