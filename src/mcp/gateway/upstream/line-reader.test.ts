import { describe, expect, test } from 'vitest';
import { mcpLimits } from '../../limits.ts';
import { LineReader } from './line-reader.ts';

const read = (chunks: readonly string[], reader = new LineReader()): string[] =>
  chunks.flatMap((chunk) => [...reader.take(Buffer.from(chunk))]);

describe('lines of a stream', () => {
  test.each([
    [['a\nb\n'], ['a', 'b']],
    [['a\r\nb\rc\n'], ['a', 'b', 'c']],
    // The end of a line may be in two chunks.
    [
      ['a\r', '\nb\n'],
      ['a', 'b'],
    ],
    [
      ['a', 'b', '\n', '\n'],
      ['ab', ''],
    ],
  ])('of %j are %j', (chunks, lines) => {
    expect(read(chunks)).toEqual(lines);
  });

  test('may cut a character in two', () => {
    const reader = new LineReader();
    const bytes = Buffer.from('ä\n');
    const lines = [...reader.take(bytes.subarray(0, 1)), ...reader.take(bytes.subarray(1))];
    expect(lines).toEqual(['ä']);
  });

  test('give back what follows the last one', () => {
    const reader = new LineReader();
    expect(read(['a\nrest'], reader)).toEqual(['a']);
    expect(reader.rest()).toBe('rest');
  });

  test('limits.upstreamMessageBytesMax: bounds a line', () => {
    const longest = 'x'.repeat(mcpLimits.upstreamMessageBytesMax);
    expect(read([longest, '\n'])).toEqual([longest]);
    expect(() => read([`${longest}x`])).toThrow('larger than 8388608 bytes');
  });

  test('may come in pieces of one byte', () => {
    const bytes = Array.from({ length: 5_000 }, (_, index) => String(index % 10));
    expect(read([...bytes, '\n'])).toEqual([bytes.join('')]);
  });
});
