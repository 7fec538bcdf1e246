import { describe, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import { changesOf } from './configuration.ts';
import { unansweredServices } from './dependency.ts';

const reverse = (...lines: string[]): string =>
  [
    'diff --git a/surety.yaml b/surety.yaml',
    '--- a/surety.yaml',
    '+++ b/surety.yaml',
    `@@ -7,${lines.filter((line) => !line.startsWith('+')).length} +7,${lines.filter((line) => !line.startsWith('-')).length} @@`,
    ...lines,
    '',
  ].join('\n');

const changed = (name: string) => ({ service: 'pricing', name, now: 'b', before: 'a' });

describe('a changed variable of surety.yaml', () => {
  test('is at the line that has it now', () => {
    const patch = reverse('     environment:', '-      URL: b', '+      URL: a', '     paths: [x]');
    expect(changesOf(patch, [changed('URL')])).toEqual([
      { ...changed('URL'), file: 'surety.yaml', line: 8, text: 'URL: b', patch },
    ]);
  });

  test.each([
    ['several lines changed together', ['-  A: b', '-  B: b', '+  A: a', '+  B: a'], ['A', 'B']],
    ['one line has several that changed', ['-  { A: b, B: b }', '+  { A: a, B: a }'], ['A', 'B']],
    ['the line names no changed variable', ['-  port: 1', '+  port: 2'], ['A']],
  ])('is not tested where %s', (_, lines, names) => {
    expect(changesOf(reverse(' x', ...lines), names.map(changed))).toEqual([]);
  });

  test('of another file is none', () => {
    const patch = reverse('-      URL: b', '+      URL: a').replaceAll(
      'surety.yaml',
      'compose.yaml',
    );
    expect(changesOf(patch, [changed('URL')])).toEqual([]);
  });
});

test('only services that answered no call at all are taken as not running', () => {
  const hop = (from: string | null, to: string, answered: boolean) =>
    ({ from, to, answered }) as Hop;
  const hops = [
    hop(null, 'edge', false),
    hop('edge', 'orders', true),
    hop('edge', 'orders', false),
    hop('orders', 'pricing', false),
    hop('orders', 'payments', false),
    hop('orders', 'payments', false),
  ];
  expect(unansweredServices(hops)).toEqual(['payments', 'pricing']);
});
