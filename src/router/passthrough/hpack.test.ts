import { once } from 'node:events';
import { connect, type OutgoingHttpHeaders } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { BrokenHeaders, type HeaderField, HpackReader } from './hpack.ts';
import { FrameWalker, frameTypes, headerBlock, makeFrame, prefaceBytes } from './http2-frames.ts';

const settings = makeFrame(4, 0, Buffer.alloc(0));
let server: Server;
/** What the latest connection sent, as HEADERS frames. */
let received: HeaderField[][] = [];

beforeAll(async () => {
  server = createServer((socket: Socket) => {
    const hpack = new HpackReader();
    const walker = new FrameWalker(
      {
        whole: new Set([frameTypes.headers]),
        visit(frame) {
          if (frame.type === frameTypes.headers) received.push(hpack.read(headerBlock(frame)));
          return true;
        },
        pass: () => {},
      },
      prefaceBytes,
    );
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      // However it is cut.
      for (const byte of bytes) walker.take(Buffer.of(byte));
    });
    socket.write(settings);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

const name = fc.constantFrom(
  'x-a',
  'x-b',
  'baggage',
  'traceparent',
  'x-some-longer-name',
  'cookie',
);
const value = fc.string({
  unit: fc
    .integer({ min: 33, max: 255 })
    .filter((code) => code !== 127)
    .map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 300,
});
const headers = fc.dictionary(name, value, { maxKeys: 5 });

describe('the reader of headers', () => {
  test('reads what nghttp2 writes, over many requests of one connection', async () => {
    const property = fc.asyncProperty(
      fc.array(headers, { minLength: 1, maxLength: 30 }),
      async (all) => {
        const { port } = server.address() as AddressInfo;
        received = [];
        const session = connect(`http://127.0.0.1:${port}`);
        session.on('error', () => {});
        for (const one of all) {
          const sent: OutgoingHttpHeaders = { ':path': '/a', ...one };
          session.request(sent).on('error', () => {});
        }
        await until('all are read', () => received.length === all.length);
        session.destroy();
        expect(received.map(own)).toEqual(all.map((one) => Object.entries(one).sort()));
      },
    );
    await fc.assert(property, { numRuns: 10 });
  });

  test.each([
    ['an index that is not there', [0xff, 0x7f]],
    ['a text that is cut off', [0x40, 0x05, 0x61]],
    ['an integer without an end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
  ])('refuses %s', (_, bytes) => {
    expect(() => new HpackReader().read(Buffer.from(bytes))).toThrow(BrokenHeaders);
  });
});

function own(fields: readonly HeaderField[]): [string, string][] {
  const pairs = fields.map(({ name: one, value: text }): [string, string] => [one, text]);
  return pairs.filter(([one]) => !one.startsWith(':')).sort();
}
