import { expect, test } from 'vitest';
import { tableLines } from './table-lines.ts';

test.each([
  [1588.189, '1588.189'],
  [0.03393550100177527, '0.033936'],
  [0.0000123456, '0.00001235'],
  [3, '3'],
  [0, '0'],
])('shows %d as %s', (value, shown) => {
  expect(tableLines(['value'], [{ value }])[1]?.trim()).toBe(shown);
});

test('shows a structured log line by its message, and control characters visibly', () => {
  const text = '{"time":"2026-01-01T00:00:00Z","level":"info","message":"paid","order":7}';
  const rows = [
    { text, labels: text },
    { text: 'plain\u001b[2J', labels: '' },
  ];
  const [, first, second] = tableLines(['text', 'labels'], rows);
  expect(first).toMatch(/^paid {2}order=7 +\{"time"/);
  expect(second).not.toContain('\u001b');
});

test('fits 80 columns: long texts are cut, numbers stay whole', () => {
  const rows = [{ trace: 'f'.repeat(60), count: 1_234_567, text: 'x'.repeat(300), route: '/a' }];
  const lines = tableLines(['trace', 'count', 'text', 'route'], rows);
  expect(lines.map((line) => line.length <= 80)).toEqual([true, true]);
  expect(lines[1]).toMatch(/^f+… +1234567 +x+… +\/a$/);
});
