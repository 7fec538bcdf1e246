import { expect, test } from 'vitest';
import { quantity, sparkline } from '../../format/sparkline.ts';
import { tableLines } from '../../format/table-lines.ts';
import { logText } from '../run/log-text.ts';
import { waterfallLines } from './waterfall-lines.ts';

test('a waterfall shows when each step began and ended, and what failed', () => {
  const span = { kind: 'server', httpStatus: 200, isError: false, error: '' };
  const lines = waterfallLines(
    [
      { ...span, depth: 0, service: 'edge', name: 'GET /a', offsetMs: 0, durationMs: 100 },
      {
        ...span,
        depth: 1,
        service: 'orders',
        name: 'GET /b',
        offsetMs: 50,
        durationMs: 25,
        httpStatus: 500,
        isError: true,
        error: 'away\u001b[2J',
      },
    ],
    100,
    63,
  );
  expect(lines.map(({ text }) => text)).toEqual([
    'edge GET /a 200            100 ms  ████████████████████',
    '  orders GET /b 500      25.00 ms            █████       away\\u001b[2J',
  ]);
  expect(lines.map(({ isError }) => isError)).toEqual([false, true]);
});

test('a sparkline has a bar for each step that has a value', () => {
  expect(sparkline([0, 1, 3], [0, 50, 100], 5)).toBe('▁▅ █ ');
  expect(sparkline([1], [7], 3)).toBe(' ▁ ');
});

test.each([
  [1_536, 'By', '1.5 kB'],
  [-3_221_225_472, 'By', '-3 GB'],
  [0.123456, 's', '0.1235 s'],
  [12, '1', '12'],
])('%d %s is formatted as %s', (value, unit, formatted) => {
  expect(quantity(value, unit)).toBe(formatted);
});

test.each([
  ['plain {', 'plain {'],
  ['{"level":"info","message":"paid","amount":5,"to":{"a":1}}', 'paid  amount=5  to={"a":1}'],
  ['{"msg":"hi\\u001b[2J","time":1}', 'hi\\u001b[2J'],
  ['{"no":"words"}', '{"no":"words"}'],
  ['{broken', '{broken'],
])('the line %s is shown as %s', (line, shown) => {
  expect(logText(line)).toBe(shown);
});

test('a table aligns numbers to the right, cuts long texts and shows hidden characters', () => {
  const rows = [
    { name: 'a', count: 5, time: '2026-11-15T12:00:00.123456Z', text: 'x'.repeat(200) },
    { name: 'b\u0007', count: 1_000, time: null, text: { a: 1 } },
  ];
  expect(tableLines(['name', 'count', 'time', 'text'], rows)).toEqual([
    'name     count  time            text',
    `a            5  11-15 12:00:00  ${'x'.repeat(47)}…`,
    'b\\u0007   1000                  {"a":1}',
  ]);
});
