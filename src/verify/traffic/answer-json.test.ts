import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sharedLimits } from '../../kernel/index.ts';
import { readAnswer } from './answer-json.ts';
import { recordSession } from './sessions.ts';

const told = { id: 'ord-7001' };
const plain = Buffer.from(JSON.stringify(told));

test.each([
  ['', plain],
  ['identity', plain],
  ['gzip', gzipSync(plain)],
  ['X-GZIP', gzipSync(plain)],
  ['deflate', deflateSync(plain)],
  ['br', brotliCompressSync(plain)],
  ['zstd', zstdCompressSync(plain)],
])('an answer in %s is read', (encoding, bytes) => {
  expect(readAnswer(bytes, encoding)).toEqual(told);
});

test.each([
  ['gzip', plain],
  ['gzip, br', brotliCompressSync(gzipSync(plain))],
  ['', gzipSync(plain)],
])('an answer that is not really in %s is null', (encoding, bytes) => {
  expect(readAnswer(bytes, encoding)).toBeNull();
});

test('an answer is read up to a size, however small it was compressed', () => {
  const packed = (bytes: number) => gzipSync(`["${'x'.repeat(bytes - 4)}"]`);
  expect(readAnswer(packed(sharedLimits.takenBodyBytesMax), 'gzip')).not.toBeNull();
  expect(readAnswer(packed(sharedLimits.takenBodyBytesMax + 1), 'gzip')).toBeNull();
});

test('values of compressed answers are found in later requests', () => {
  const known = { at: 1, client: 'c1', method: 'GET', headers: [], body: null, status: 200 };
  const answer = gzipSync(plain).toString('base64');
  const session = [
    { ...known, path: '/orders', answer, answerEncoding: 'gzip' },
    { ...known, path: '/orders/ord-7001', answer: null },
  ];
  const rules = { perMille: 1_000, perRoute: 2, headers: [], replace: {}, keepDays: 7 };
  const recorded = recordSession(session, 'traffic_1', rules);
  expect(recorded?.requests.map((request) => request.answer)).toEqual([told, null]);
});
