import { expect, test } from 'vitest';
import { probeLimits } from '../limits.ts';
import type { Code } from '../placement/code.ts';
import { type Outline, outlineOf } from '../placement/outline.ts';
import { observablePoints } from './observable-points.ts';

function codeOf(text: string): Code {
  const script = { id: '1', path: '/a.js', hash: '', lines: 1, chars: 1, map: '', isModule: true };
  return { script, text, outline: outlineOf(text, true) as Outline, file: '/a.js' };
}

const ifs = (count: number): Code => codeOf('if (a) b();\n'.repeat(count));

test('a context observes as many points as allowed, and the first ones of more', () => {
  const max = probeLimits.probeContextPointsMax;
  const linesOf = (count: number): number[] =>
    observablePoints(ifs(count), { fromLine: 1, toLine: count }).map(({ line }) => line);
  const first = Array.from({ length: max }, (_, index) => index + 1);
  expect(linesOf(max)).toEqual(first);
  expect(linesOf(max + 1)).toEqual(first);
});

test('variables are read at the statement after the one that declares them', () => {
  const code = codeOf(
    'function f(x) {\n  const { a, b: c } = await g(x);\n  return a + c;\n}\n'.replace(
      'function',
      'async function',
    ),
  );
  expect(observablePoints(code, { fromLine: 2, toLine: 2 })).toEqual([
    { kind: 'function', function: 'f', parameters: ['x'], line: 2 },
    { kind: 'value', expression: 'a', isAnswer: true, line: 3, declaredLine: 2 },
    { kind: 'value', expression: 'c', isAnswer: true, line: 3, declaredLine: 2 },
  ]);
});
