import { expect, test } from 'vitest';
import { checkPlace } from './placement-rules.ts';
import type { Place } from './port.ts';

const place: Place = {
  file: '/shop/services/auth/token.ts',
  line: 12,
  function: '(anonymous)',
  within: ['Tokens.sign', '(anonymous)'],
  scriptHash: 'a',
  text: '',
};

test.each([
  ['a whole path', { file: '/shop/services/auth/token.ts' }],
  ['the end of a path', { file: 'auth/token.ts' }],
  ['a pattern', { file: 'services/auth/**' }],
  ['a function around the line', { file: 'token.ts', function: 'sign' }],
  ['a method by its whole name', { file: 'token.ts', function: 'Tokens.sign' }],
])('no probe is placed in code that is blocked by %s', (_, rule) => {
  expect(() => checkPlace(place, [rule])).toThrow(
    expect.objectContaining({ code: 'PROBE_BLOCKED' }),
  );
});

test.each([
  ['another file', { file: 'token.js' }],
  ['half a name', { file: 'oken.ts' }],
  ['another function', { file: 'token.ts', function: 'verify' }],
  ['another folder', { file: 'services/orders/**' }],
])('a probe is placed beside code that is blocked by %s', (_, rule) => {
  expect(() => checkPlace(place, [rule])).not.toThrow();
});

test.each([
  ['a version below .surety', '/shop/.surety/trees/0a1b/services/auth/token.ts'],
  ['a hidden folder', '/shop/services/auth/.keys/token.ts'],
  ['a hidden file', '/shop/services/auth/.token.ts'],
])('a pattern blocks code in %s', (_, file) => {
  expect(() => checkPlace({ ...place, file }, [{ file: 'services/auth/**' }])).toThrow(
    expect.objectContaining({ code: 'PROBE_BLOCKED' }),
  );
});

test('compiled code is blocked as its source is', () => {
  const generated = { file: '/shop/dist/bundle.js', line: 1, column: 1 };
  const compiled = { ...place, generated };
  expect(() => checkPlace(compiled, [{ file: 'dist/bundle.js' }])).toThrow();
  expect(() => checkPlace(compiled, [{ file: 'auth/token.ts' }])).toThrow();
});
