import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeFrame, FrameReader } from './frames.ts';

/** As Node's inspector sends it. */
function serverFrame(text: string, opcode = 1): Buffer {
  const payload = Buffer.from(text);
  const length = payload.length;
  if (length < 126) return Buffer.concat([Buffer.from([0x80 | opcode, length]), payload]);
  const wide = length > 0xffff;
  const header = Buffer.alloc(wide ? 10 : 4);
  header[0] = 0x80 | opcode;
  header[1] = wide ? 127 : 126;
  if (wide) header.writeBigUInt64BE(BigInt(length), 2);
  else header.writeUInt16BE(length, 2);
  return Buffer.concat([header, payload]);
}

describe('a WebSocket frame', () => {
  test.each([0, 1, 125, 126, 127, 65_535, 65_536, 200_000])('of %i bytes is read', (length) => {
    const text = 'x'.repeat(length);
    expect([...new FrameReader().read(serverFrame(text))]).toEqual([text]);
  });

  test('is read however the network splits it', () => {
    const property = fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 50 }),
      (texts, sizes) => {
        const bytes = Buffer.concat(texts.map((text) => serverFrame(text)));
        const reader = new FrameReader();
        const read: (string | null)[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] as number;
          read.push(...reader.read(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(read).toEqual(texts);
      },
    );
    fc.assert(property);
  });

  test('that is not text closes the connection', () => {
    expect([...new FrameReader().read(serverFrame('', 8))]).toEqual([null]);
  });

  test.each([0, 125, 126, 65_535, 65_536])(
    'of %i bytes is sent masked, with its length',
    (length) => {
      const text = 'x'.repeat(length);
      const frame = encodeFrame(text);
      expect((frame[1] as number) & 0x80).toBe(0x80);
      // A mask of zeros: without its bit and bytes, it is a frame as the inspector sends them.
      const header = frame.length - length - 4;
      const own = Buffer.concat([frame.subarray(0, header), frame.subarray(header + 4)]);
      own[1] = (own[1] as number) & 0x7f;
      expect([...new FrameReader().read(own)]).toEqual([text]);
    },
  );
});
