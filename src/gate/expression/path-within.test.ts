import { describe, expect, test } from 'vitest';
import { compileExpression } from './index.ts';

const within = (path: string, directory: string): unknown =>
  compileExpression(`path.within(${JSON.stringify(directory)})`, {
    path: { kind: 'any' },
  }).evaluate({ path });

describe('pathWithin', () => {
  test.each<[string, string, boolean]>([
    ['/data/a.txt', '/data', true],
    ['/data', '/data', true],
    ['/data/', '/data', true],
    ['/data', '/data/', true],
    ['/database', '/data', false],
    ['/data/../etc/passwd', '/data', false],
    ['/data/a/../../etc', '/data', false],
    ['/data/a/../b', '/data', true],
    ['/data/./a//b/', '/data', true],
    ['//data///a', '/data', true],
    ['/../../data/a', '/data', true],
    ['/data/..a/b..', '/data', true],
    ['/data/...', '/data', true],
    ['/anything', '/', true],
    ['/', '/data', false],
    ['/DATA/a', '/data', false],
    ['/data/%2e%2e/etc', '/data', true],
    ['/x/y', '/x/../x/./y', true],
  ])('of %s in %s is %s', (path, directory, wanted) => {
    expect(within(path, directory)).toBe(wanted);
  });

  // Neither true nor false, because a rule with `!` would open the gate.
  test.each([
    'data/a',
    '',
    '.',
    '../data',
    '\\data\\a',
    '/data\\..\\etc',
    '/data/a\0.txt',
    'C:/data',
  ])('fails for %j', (path) => {
    expect(() => within(path, '/data')).toThrow('not an absolute path');
  });

  test('accepts a path and a directory that are variables', () => {
    const scope = { path: { kind: 'any' }, root: { kind: 'any' } } as const;
    const expression = compileExpression('path.within(root)', scope);
    expect(expression.evaluate({ path: '/a/b', root: '/a' })).toBe(true);
    expect(() => expression.evaluate({ path: '/a/b', root: 'a' })).toThrow('not an absolute path');
  });
});

describe('normalPath', () => {
  const evaluate = (path: string): unknown =>
    compileExpression('path.normalPath()', { path: { kind: 'any' } }).evaluate({ path });

  test.each([
    ['/a/../b', '/b'],
    ['/b', '/b'],
    ['//b/./', '/b'],
    ['/..', '/'],
    ['a/../b', 'a/../b'],
    ['/a\\..\\b', '/a\\..\\b'],
  ])('of %s is %s', (path, wanted) => {
    expect(evaluate(path)).toBe(wanted);
  });
});
