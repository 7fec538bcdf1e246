import { describe, expect, test } from 'vitest';
import { mcpLimits } from '../../limits.ts';
import { HttpAnswerReader } from './http-answer.ts';

const lines = (...texts: string[]): string => texts.join('\r\n');
const plain = lines('HTTP/1.1 200 OK', 'Content-Type: application/json', 'content-length: 5', '');
const pieces = lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '');

function read(text: string | Buffer, cut = text.length, bytesMax?: number) {
  const bytes = Buffer.from(text as string);
  const reader = new HttpAnswerReader(bytesMax);
  const first = reader.take(bytes.subarray(0, cut));
  if (cut >= bytes.length) return first;
  expect(first).toBeUndefined();
  return reader.take(bytes.subarray(cut));
}

describe('an HTTP response', () => {
  test.each<[string, string, object]>([
    [
      'with a length',
      `${plain}\r\nh\u00e9llo`.replace('length: 5', 'length: 6'),
      { status: 200, type: 'application/json', text: 'h\u00e9llo', isReusable: true },
    ],
    [
      'in pieces',
      `${pieces}3\r\nhel\r\n2;x=1\r\nlo\r\n0\r\n\r\n`,
      { status: 200, type: '', text: 'hello', isReusable: true },
    ],
    [
      'in pieces, with lines after them',
      `${pieces}A\r\n\r\n\r\n012345\r\n0\r\nx: y\r\n\r\n`,
      { text: '\r\n\r\n012345', isReusable: true },
    ],
    [
      'after a word in between',
      `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${plain}\r\nhello`,
      { status: 200, text: 'hello' },
    ],
    ['without a body', 'HTTP/1.1 204 \r\nx: y\r\n\r\n', { status: 204, text: '' }],
    ['that closes', `${plain}Connection: close\r\n\r\nhello`, { isReusable: false }],
    [
      'of an older server',
      `${plain}\r\nhello`.replace('HTTP/1.1', 'HTTP/1.0'),
      { text: 'hello', isReusable: false },
    ],
  ])('%s is read, wherever it is cut', (_, text, answer) => {
    const { length } = Buffer.from(text);
    for (let cut = 1; cut <= length; cut++) expect(read(text, cut)).toMatchObject(answer);
  });

  test('that arrives byte by byte is read the same way', () => {
    const reader = new HttpAnswerReader();
    const answers = [...Buffer.from(`${pieces}5\r\nhello\r\n0\r\n\r\n`)].map((byte) =>
      reader.take(Buffer.of(byte)),
    );
    expect(answers.filter((one) => one)).toEqual([expect.objectContaining({ text: 'hello' })]);
    expect(answers.at(-1)).toBeDefined();
  });

  test('ends with the connection only if no header gives its length', () => {
    const open = new HttpAnswerReader();
    expect(open.take(Buffer.from('HTTP/1.1 200 OK\r\n\r\nhel'))).toBeUndefined();
    expect(open.take(Buffer.from('lo'))).toBeUndefined();
    expect(open.end()).toMatchObject({ text: 'hello', isReusable: false });
    const cut = new HttpAnswerReader();
    expect(cut.take(Buffer.from(`${plain}\r\nhel`))).toBeUndefined();
    expect(cut.end()).toBeUndefined();
  });

  test.each([
    ['a second answer behind it', `${plain}\r\nhello${plain}\r\nother`],
    ['something behind its pieces', `${pieces}5\r\nhello\r\n0\r\n\r\nx`],
  ])('with %s is the last on its connection', (_, text) => {
    expect(read(text)).toMatchObject({ text: 'hello', isReusable: false });
  });

  test.each([
    ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
    ['another version', `${plain.replace('1.1', '2.0')}\r\n`],
    ['a header that is none', `${plain}no header\r\n\r\n`],
    ['a header over two lines', `${plain}x: y\r\n  z\r\n\r\n`],
    ['two lengths', `${plain}content-length: 6\r\n\r\n`],
    ['a length and pieces', `${plain}transfer-encoding: chunked\r\n\r\n`],
    ['an encoding that nobody wanted', `${pieces.replace('chunked', 'gzip, chunked')}`],
    ['a length that is no number', `${plain}\r\n`.replace('5', '+5')],
    ['a size that is no number', `${pieces}0x5\r\nhello\r\n`],
    ['a size that is too long', `${pieces}123456789\r\n`],
    ['a piece longer than its size', `${pieces}4\r\nhello\r\n`],
    ['a line without a proper end', `${pieces}5\nhello\r\n`],
    ['headers that do not end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`],
    ['a size that does not end', `${pieces}${'0'.repeat(9_000)}`],
  ])('with %s is in doubt', (_, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'TOOL_IN_DOUBT' }));
  });

  test.each([
    ['a length', `${plain}\r\nhello`],
    ['pieces', `${pieces}3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n`],
  ])('with %s may be as large as the limit and no larger', (_, text) => {
    expect(mcpLimits.upstreamMessageBytesMax).toBeGreaterThan(5);
    expect(read(text, undefined, 5)).toMatchObject({ text: 'hello' });
    expect(() => read(text, undefined, 4)).toThrow('larger than 4 bytes');
  });
});
