import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isAuthentic, newTraceparent, tagsIn, traceIdOf, traceTag } from './trace-tag.ts';

/** The same as in the test of the preload. */
const secret = '0123456789abcdef'.repeat(4);
const lane = '00c0ffee';
const signature = createHmac('sha256', Buffer.from(secret, 'hex'))
  .update(Buffer.from([0x00, 0xc0, 0xff, 0xee]))
  .digest('hex');
const tag = `5e1a${lane}${signature.slice(0, 6)}`;
const traceparent = `00-${tag}00112233445566-${'cd'.repeat(8)}-01`;

describe('the tag of a trace id', () => {
  test('consists of a marker, the number of the lane and a signature', () => {
    expect(traceTag(secret, lane)).toBe(tag);
    expect(isAuthentic(tag, secret)).toBe(true);
    expect(isAuthentic(tag, 'cd'.repeat(32))).toBe(false);
    expect(isAuthentic(tag.replace('ee', 'ef'), secret)).toBe(false);
  });

  test.each<[string, string | undefined, string[]]>([
    ['there is no trace id', undefined, []],
    ['the trace id is ours', traceparent, [tag]],
    ['the header is of a later version', `01${traceparent.slice(2)}-more`, [tag]],
    ['there are several trace ids', `${traceparent}, ${traceparent}`, [tag, tag]],
    ['the trace id has no tag', `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`, []],
    ['the marker is at the wrong place', `00-${'ab'.repeat(14)}5e1a-${'cd'.repeat(8)}-01`, []],
    ['the header is too short', traceparent.slice(0, -4), []],
    ['the header has capital letters', traceparent.toUpperCase(), []],
  ])('is parsed correctly when %s', (_, text, tags) => {
    expect(tagsIn(text)).toEqual(tags);
  });

  test('starts every trace id that is made for its lane, and each trace id is unique', () => {
    const made = Array.from({ length: 1_000 }, () => newTraceparent(tag));
    expect(made.every((one) => tagsIn(one)[0] === tag && one.endsWith('-01'))).toBe(true);
    expect(new Set(made.map(traceIdOf)).size).toBe(made.length);
  });
});
