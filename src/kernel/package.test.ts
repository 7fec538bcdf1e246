import { expect, test } from 'vitest';
import { isSupportedNode } from './package.ts';

test.each([
  ['v22.15.1', false],
  ['v22.16.0', true],
  ['v22.23.3', true],
  ['v23.0.0', true],
  ['v26.10.0', true],
  ['v20.20.2', false],
])('Node %s is supported: %s', (version, expected) => {
  expect(isSupportedNode(version)).toBe(expected);
});
