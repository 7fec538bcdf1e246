import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import {
  exactResult,
  isTooDeep,
  marked,
  shallow,
  unreadableReason,
  withDoubles,
  withoutLoss,
} from './exact-json.ts';

const answering = (result: string): string => `{"jsonrpc":"2.0","id":1,"result":${result}}`;

describe('numbers in a result', () => {
  test.each([
    '{"n":12345678901234567890}',
    '{"n":1.0}',
    '{"n":1e5}',
    '{"n":-0}',
    '{"n":[0.1000000000000000055511151231257827,{"m":1E400}]}',
  ])('%s arrives as it was sent', (text) => {
    const result = exactResult(answering(text));
    expect(JSON.stringify(result)).toBe(text);
  });

  test('that a double holds need no other result', () => {
    expect(
      exactResult(answering('{"n":[1,-2.5,9007199254740991],"s":"1.0 12345678901234567890"}')),
    ).toBe(undefined);
  });

  test('are calculated with as doubles, and recorded as text where a double changes them', () => {
    const result = exactResult(answering('{"big":12345678901234567890,"one":1.0}')) as JsonObject;
    expect(withDoubles(result)).toEqual({ big: 12345678901234567000, one: 1 });
    expect(withoutLoss(result)).toEqual({ big: '12345678901234567890', one: 1 });
  });

  test('are found again in a copy of a result', () => {
    const result = exactResult(answering('{"n":{"m":12345678901234567890}}')) as JsonObject;
    const copy = marked({ n: result.n ?? null });
    expect(withDoubles(copy)).toEqual({ n: { m: 12345678901234567000 } });
    expect(marked({ n: 1 })).toEqual({ n: 1 });
  });
});

describe('a message', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

  test.each([
    [mcpLimits.upstreamDepthMax, false],
    [mcpLimits.upstreamDepthMax + 1, true],
  ])('limits.upstreamDepthMax: %i levels are too deep: %s', (depth, isDeep) => {
    expect(isTooDeep(nested(depth))).toBe(isDeep);
  });

  test('counts no brackets in strings', () => {
    expect(isTooDeep(JSON.stringify(['['.repeat(1_000), '\\"', '{'.repeat(1_000)]))).toBe(false);
  });

  test('with a result nested 5,000 deep has a reason in its place', () => {
    const text = shallow(answering(`{"content":${nested(5_000)}}`)) ?? '';
    const { id, result } = JSON.parse(text);
    expect(id).toBe(1);
    expect(unreadableReason(result)).toContain('nested deeper than 512 levels');
    expect(unreadableReason({ content: [] })).toBe(undefined);
    expect(shallow(`{"method":"a","params":${nested(5_000)}}`)).toBe(undefined);
    expect(shallow('{"id":1,"result":{}}')).toBe('{"id":1,"result":{}}');
  });
});
