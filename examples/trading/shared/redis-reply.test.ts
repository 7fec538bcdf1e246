import { describe, expect, it } from 'vitest';
import { readReply } from './redis-reply.ts';

describe('readReply', () => {
  it.each([
    ['+OK\r\n', 'OK'],
    [':42\r\n', 42],
    ['$-1\r\n', null],
    ['$7\r\nGröße\r\n', 'Größe'],
    ['*2\r\n$1\r\na\r\n$0\r\n\r\n', ['a', '']],
    ['-ERR no\r\n', new Error('ERR no')],
  ])('reads %j', (text, reply) => {
    const bytes = Buffer.from(text);
    expect(readReply(bytes, 0)).toEqual({ reply, end: bytes.length });
  });

  it('waits for the rest, wherever the bytes were cut', () => {
    const bytes = Buffer.from('*2\r\n$5\r\nflags\r\n$3\r\n日\r\n');
    for (let length = 0; length < bytes.length; length += 1) {
      expect(readReply(bytes.subarray(0, length), 0)).toBeUndefined();
    }
    expect(readReply(bytes, 0)?.reply).toEqual(['flags', '日']);
  });

  it('says so when something else answers', () => {
    expect(() => readReply(Buffer.from('HTTP/1.1 400 Bad Request\r\n'), 0)).toThrow('not Redis');
  });
});
