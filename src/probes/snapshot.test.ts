import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { Json } from '../kernel/index.ts';
import { frameCapacityBytes } from './frames.ts';
import { probeLimits } from './limits.ts';
import { type EvaluationAnswer, evaluationsOf, readFrames, readObservation } from './pause.ts';
import { checkRequest } from './request.ts';
import { snapshotOf } from './snapshot.ts';

/** As in the target and then on our side; only V8's check for side effects is missing. */
function observe(expression: string, names: object = {}): Json {
  const value = runInNewContext(snapshotOf(expression), { ...names });
  const answer: EvaluationAnswer = {
    status: 'fulfilled',
    value: { result: { type: 'string', value } },
  };
  return readObservation(answer, { text: expression, isSecret: false });
}

describe('a value', () => {
  test.each<[string, string, Json]>([
    ['1.5', 'number', 1.5],
    ['NaN', 'number', 'NaN'],
    ['-Infinity', 'number', '-Infinity'],
    ['-0', 'number', '-0'],
    ['10n ** 30n', 'bigint', `1${'0'.repeat(30)}`],
    [`'15,000.00'`, 'string', '15,000.00'],
    ['true', 'boolean', true],
    ['null', 'null', null],
    ['undefined', 'undefined', null],
    ['Symbol.iterator', 'symbol', '[symbol]'],
    ['() => 1', 'function', '[function]'],
    ['[1, , undefined]', 'array', [1, null, null]],
    ['{ a: { b: [1] }, c() {} }', 'object', { a: { b: [1] }, c: '[function]' }],
    ['{ get a() { throw 1 } }', 'object', { a: '[accessor]' }],
    ['new Date(0)', 'object', '[date: 0]'],
    ['new Map([[1, 2]])', 'object', '[collection: 1]'],
    ['new Uint8Array(9)', 'object', '[binary: 9]'],
    [`new TypeError('bad')`, 'object', { message: 'bad' }],
    [`JSON.parse('{"__proto__": 1, "a": 2}')`, 'object', { a: 2 }],
    ['{ toJSON: () => 1, a: 1 }', 'object', { toJSON: '[function]', a: 1 }],
  ])('%s is a %s', (expression, type, value) => {
    expect(observe(expression)).toEqual({ type, value });
  });

  test('that contains itself is read to a limited depth', () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(JSON.stringify(observe('loop', { loop }))).toContain('[object]');
  });
});

describe('a value is truncated', () => {
  test('at a maximum depth', () => {
    const nested = (depth: number): Json => (depth === 0 ? 1 : { a: nested(depth - 1) });
    const deepest = nested(probeLimits.probeValueDepthMax);
    expect(observe('v', { v: deepest })).toEqual({ type: 'object', value: deepest });
    const deeper = JSON.stringify(observe('v', { v: nested(probeLimits.probeValueDepthMax + 1) }));
    expect(deeper).toContain('[object]');
  });

  test('at a maximum number of members and items', () => {
    const items = Array.from({ length: probeLimits.probeValueMembersMax }, (_, index) => index);
    expect(observe('v', { v: items })).toEqual({ type: 'array', value: items });
    const more = [...items, 0, 0];
    expect(observe('v', { v: more })).toEqual({ type: 'array', value: [...items, '[more: 2]'] });
    const members = Object.fromEntries(items.map((index) => [`k${index}`, index]));
    expect(observe('v', { v: members })).toEqual({ type: 'object', value: members });
    expect(observe('v', { v: { ...members, x: 1 } })).toEqual({
      type: 'object',
      value: { ...members, '[more]': 1 },
    });
  });

  test('at a maximum number of nested values', () => {
    const rows = (count: number): Json => Array.from({ length: count }, () => [1, 2, 3]);
    // Itself, and each row with its three items.
    const most = (probeLimits.probeValueNodesMax - 1) / 4;
    const fits = rows(Math.min(Math.floor(most), probeLimits.probeValueMembersMax));
    expect(JSON.stringify(observe('v', { v: fits }))).not.toContain('[number]');
    const wide = Array.from({ length: 6 }, () => Array(probeLimits.probeValueMembersMax).fill(1));
    const text = JSON.stringify(observe('v', { v: wide }));
    expect(text.match(/\b1\b/g)).toHaveLength(probeLimits.probeValueNodesMax - 1 - 5);
    expect(text).toContain('[array]');
  });

  test('at a maximum length of each text', () => {
    const longest = 'x'.repeat(probeLimits.probeStringCharsMax);
    expect(observe('v', { v: longest })).toEqual({ type: 'string', value: longest });
    expect(observe('v', { v: `${longest}x` })).toEqual({ type: 'string', value: `${longest}…` });
  });

  test('at a maximum total length of texts', () => {
    const v = Array.from({ length: 17 }, () => 'x'.repeat(2_048));
    const { value } = observe('v', { v }) as { value: string[] };
    const whole = probeLimits.probeValueCharsMax / 2_048;
    expect(value.slice(0, whole).every((text) => text.startsWith('xx'))).toBe(true);
    expect(value.slice(whole)).toEqual(['[string]']);
  });

  test('after its secrets are redacted, so that no part of a secret remains', () => {
    const token = `eyJ${'a'.repeat(300)}.${'b'.repeat(300)}.${'c'.repeat(300)}`;
    const v = {
      note: `${'x'.repeat(probeLimits.probeStringCharsMax - 20)} ${token}`,
      password: 'hunter2',
    };
    const text = JSON.stringify(observe('v', { v }));
    expect(text).toContain('[redacted');
    expect(text).not.toMatch(/eyJ|aaa|hunter2/);
  });
});

test('a stack keeps only its innermost frames', () => {
  const frame = (lineNumber: number) => ({
    functionName: `f${lineNumber}`,
    location: { scriptId: '7', lineNumber },
  });
  const path = '/app.ts';
  const script = { id: '7', path, hash: '', lines: 9, chars: 9, isMapped: false };
  const frames = Array.from({ length: probeLimits.probeFramesMax + 1 }, (_, index) => frame(index));
  const read = readFrames(frames, new Map([['7', script]]));
  expect(read).toHaveLength(probeLimits.probeFramesMax);
  expect(read[0]).toEqual({ function: 'f0', file: path, line: 1 });
  expect(readFrames(frames.slice(1), new Map())).toHaveLength(probeLimits.probeFramesMax);
});

test('the longest expression fits into one WebSocket frame', () => {
  // Each of these characters takes six bytes on its way.
  const longest = `'${'\u0001'.repeat(probeLimits.probeExpressionCharsMax - 2)}'`;
  const request = { pid: 1, file: 'a', line: 1, expressions: [longest], condition: longest };
  for (const expression of evaluationsOf(checkRequest(request))) {
    const params = { callFrameId: 'x'.repeat(64), expression, throwOnSideEffect: true };
    const message = { id: 2 ** 40, method: 'Debugger.evaluateOnCallFrame', params };
    expect(Buffer.byteLength(JSON.stringify(message)) + 64).toBeLessThan(frameCapacityBytes);
  }
});
