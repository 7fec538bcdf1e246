import { describe, expect, test } from 'vitest';
import { fault } from '../kernel/index.ts';
import { boundAction, boundRead, readCursor, writeCursor } from './bound.ts';
import { mcpLimits } from './limits.ts';
import { answerOf, refusalOf } from './run-tool.ts';
import { formatList } from './tool-answer.ts';

const max = mcpLimits.mcpAnswerCharsMax;

/** A value whose JSON has exactly so many characters. */
const sized = (chars: number): { text: string } => ({
  text: 'x'.repeat(chars - '{"text":""}'.length),
});

/** Every part of an answer, by following its cursors. */
function follow<Part>(look: (cursor: string | undefined) => Part & { next: string | null }) {
  const parts: Part[] = [];
  for (let cursor: string | undefined; ; ) {
    const part = look(cursor);
    parts.push(part);
    if (part.next === null) return parts;
    cursor = part.next;
  }
}

const list = (items: readonly object[]) =>
  formatList({ name: 'items', items, line: (item) => JSON.stringify(item), head: 'Here:' });

describe('an answer of at most mcpLimits.mcpAnswerCharsMax characters', () => {
  test.each([
    [max, true],
    [max + 1, false],
  ])('is sent whole, and a longer one in parts: %i characters, whole: %s', (chars, whole) => {
    const value = sized(chars);
    const { value: shown, next } = boundRead({ value, text: 'short' }, undefined);
    expect(next === null).toBe(whole);
    expect(shown === value).toBe(whole);
    const parts = follow((cursor) => boundRead({ value, text: 'short' }, cursor));
    const text = parts.map(({ value: part }) => (part as { part?: string }).part ?? '').join('');
    expect(whole ? value : JSON.parse(text)).toEqual(value);
  });

  test.each([
    [max, false],
    [max + 1, true],
  ])(
    'to an action is cut instead of paged if it is longer: %i characters, cut: %s',
    (chars, cut) => {
      const whole = 'All of it: get_outcome {"proposal": "p"}.';
      const { value, text } = boundAction({ value: sized(chars), text: 'done', whole });
      expect('cut' in value).toBe(cut);
      expect(text).toBe(cut ? `done\nLong values are cut. ${whole}` : 'done');
      expect(JSON.stringify(value).length).toBeLessThanOrEqual(max);
    },
  );

  test.each([
    [max, max],
    [max + 1, max + 30],
  ])('limits its text as well: %i characters become at most %i', (chars, most) => {
    const { text } = boundRead({ value: {}, text: 'x'.repeat(chars) }, undefined);
    expect(text.length).toBeLessThanOrEqual(most);
    expect(text.includes('more characters')).toBe(chars > max);
  });
});

describe('a list', () => {
  test.each([0, 1, 7, 500])('of %i items is sent page by page, each item once', (count) => {
    const items = Array.from({ length: count }, (_, index) => ({ index, text: 'x'.repeat(200) }));
    const pages = follow((cursor) => boundRead(list(items), cursor));
    const seen = pages.flatMap(({ value }) => (value as { items: object[] }).items);
    expect(seen).toEqual(items);
    for (const { value, text } of pages) {
      expect(JSON.stringify(value).length).toBeLessThanOrEqual(max + 100);
      expect(text.length).toBeLessThanOrEqual(max + 100);
      expect(value).toMatchObject({ total: count });
    }
    expect(pages.length > 1).toBe(count === 500);
  });

  test('continues after an item that is too large by itself', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`member${index}`, 'x'.repeat(100)]),
    );
    const items = [{ a: 1 }, { name: 'huge', text: 'x'.repeat(3 * max) }, wide, { a: 2 }];
    const pages = follow((cursor) => boundRead(list(items), cursor));
    const seen = pages.flatMap(({ value }) => (value as { items: object[] }).items);
    expect(seen).toMatchObject([
      { a: 1 },
      { name: 'huge', text: expect.stringContaining('characters)') },
      { cut: expect.stringContaining('characters)') },
      { a: 2 },
    ]);
  });
});

describe('a cursor', () => {
  test('is accepted by the answer that made it', () => {
    expect(readCursor(writeCursor({ offset: 7, of: 'a' }), 'a')).toBe(7);
    expect(readCursor(undefined, 'a')).toBe(0);
  });

  test.each([
    ['of something else', writeCursor({ offset: 7, of: 'b' })],
    ['before the beginning', writeCursor({ offset: -1, of: 'a' })],
    ['of a fraction', writeCursor({ offset: 0.5, of: 'a' })],
    ['that is no JSON', 'bm90aGluZw'],
    ['that is no list', Buffer.from('{}').toString('base64url')],
    ['that is empty', ''],
  ])('%s is refused', (_, text) => {
    expect(() => readCursor(text, 'a')).toThrow('Unknown or expired cursor');
  });

  test('is refused once the text has changed', () => {
    const { next } = boundRead({ value: sized(2 * max), text: '' }, undefined);
    const changed = { value: sized(2 * max + 1), text: '' };
    expect(() => boundRead(changed, next ?? undefined)).toThrow('Unknown or expired cursor');
  });
});

test('an answer names the call, its time range and the next cursor', () => {
  const call = { tool: 'list_x', from: 0, until: 1_000, searched: 'the shelves' };
  const given = { matching: 'a', patch: 'y'.repeat(5_000) };
  const items = Array.from({ length: 500 }, () => ({ text: 'x'.repeat(200) }));
  const { structuredContent, content } = answerOf(list(items), { ...call, arguments: given });
  const { next, asked } = structuredContent as { next: string; asked: object };
  expect(asked).toEqual({
    tool: 'list_x',
    arguments: { matching: 'a', patch: expect.stringContaining('… (5002 characters)') },
    from: '1970-01-01T00:00:00.000Z',
    until: '1970-01-01T00:00:01.000Z',
    searched: 'the shelves',
  });
  const [{ text }] = content as unknown as [{ text: string }];
  expect(text).toContain('1970-01-01T00:00:01.000Z; searched: the shelves.');
  expect(text).toContain(`list_x again, with "cursor": "${next}"`);
});

test('a refusal is cut to the same size', () => {
  const remedy = `You may use: ${'tool, '.repeat(max)}`;
  const values = { actor: 'agent:a', tool: 't', reason: 'r', remedy };
  const refusal = refusalOf(fault('PROPOSAL_DENIED', values).with({ rule: 'policy.tools' }), 't');
  expect(JSON.stringify(refusal).length).toBeLessThan(2 * max);
  expect(refusal).toMatchObject({
    isError: true,
    structuredContent: { code: 'PROPOSAL_DENIED', rule: 'policy.tools' },
  });
});
