import { describe, expect, test } from 'vitest';
import { CapturedBody } from './captured-body.ts';
import { readGrpcBody } from './grpc-body.ts';

function frame(message: Buffer | string, flag = 0): Buffer {
  const bytes = Buffer.from(message);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flag, 0);
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}

/** `{ 1: 150, 2: "ACME", 3: { 1: 7 }, 4: 1.5 (double), 5: 2.5 (float) }`. */
const double = Buffer.alloc(8);
double.writeDoubleLE(1.5);
const float = Buffer.alloc(4);
float.writeFloatLE(2.5);
const message = Buffer.concat([
  Buffer.from([0x08, 0x96, 0x01, 0x12, 4]),
  Buffer.from('ACME'),
  Buffer.from([0x1a, 2, 0x08, 7, 0x21]),
  double,
  Buffer.from([0x2d]),
  float,
]);

describe('the body of a gRPC call', () => {
  test.each<[string, Buffer, unknown]>([
    ['is JSON when it carries JSON', frame('{"isWithin":true}'), { isWithin: true }],
    [
      'gives protobuf fields by number and type',
      frame(message),
      { 1: [150], 2: ['ACME'], 3: [{ 1: [7] }], 4: [{ fixed64: 1.5 }], 5: [{ fixed32: 2.5 }] },
    ],
    [
      'gives repeated fields as a list and multi-line text as text',
      frame(Buffer.from([0x08, 1, 0x08, 2, 0x12, 3, 0x61, 0x0a, 0x62])),
      { 1: [1, 2], 2: ['a\nb'] },
    ],
    [
      'gives only the number of raw bytes',
      frame(Buffer.from([0x0a, 2, 0xff, 0xfe])),
      { 1: [{ bytes: 2 }] },
    ],
    ['leaves out empty fields', frame(Buffer.from([0x0a, 0, 0x10, 1])), { 2: [1] }],
    ['is a list for a stream', Buffer.concat([frame('{}'), frame('[1]')]), [{}, [1]]],
    ['is null when compressed', frame(message, 1), null],
    ['is null when truncated', frame(message).subarray(0, 12), null],
    ['is null when it is not a protobuf message', frame(Buffer.from([0x07, 1, 2])), null],
    ['is null when empty', Buffer.alloc(0), null],
  ])('%s', (_, body, expected) => {
    expect(readGrpcBody(body)).toEqual(expected);
  });

  test('is captured by its type, without secrets', () => {
    const body = new CapturedBody('application/grpc+proto');
    body.add(frame('{"password":"hunter2secret"}'));
    expect(JSON.stringify(body.json())).toContain('password');
    expect(JSON.stringify(body.json())).not.toContain('hunter2secret');
    expect(new CapturedBody('application/grpc-web-text').kept).toBe(0);
  });

  test('is read down to a maximum depth of nesting', () => {
    let nested = Buffer.from([0x08, 1]);
    for (let depth = 0; depth < 40; depth++) {
      nested = Buffer.concat([Buffer.from([0x0a, nested.length]), nested]);
    }
    expect(JSON.stringify(readGrpcBody(frame(nested)))).toMatch(/^\{"1":/);
  });
});
