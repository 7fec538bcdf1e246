import { expect, test } from 'vitest';
import { ReplyReader } from './reply-reader.ts';

const whole =
  '+OK\r\n:42\r\n$5\r\na\r\nbc\r\n$-1\r\n*2\r\n$1\r\n0\r\n*2\r\n$1\r\nk\r\n$0\r\n\r\n-ERR no\r\n';
const replies = ['OK', 42, 'a\r\nbc', null, ['0', ['k', '']], new Error('ERR no')];

test('parses Redis replies the same way, however they are split into chunks', () => {
  for (let size = 1; size <= whole.length; size += 1) {
    const reader = new ReplyReader();
    const read = [];
    for (let at = 0; at < whole.length; at += size) {
      read.push(...reader.read(Buffer.from(whole.slice(at, at + size), 'latin1')));
    }
    expect(read).toEqual(replies);
  }
});

test('reports a server that does not speak the Redis protocol', () => {
  const reader = new ReplyReader();
  expect(() => [...reader.read(Buffer.from('HTTP/1.1 400 Bad Request\r\n'))]).toThrow('no Redis');
});
