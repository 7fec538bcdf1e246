import { expect, test } from 'vitest';
import { durationMs, durationPattern, formatBudget, formatDuration } from './duration.ts';

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['10m', 600_000],
  ['1h', 3_600_000],
  ['90d', 7_776_000_000],
  ['999999999d', 86_399_999_913_600_000],
])('%s is %d milliseconds', (text, ms) => {
  expect(text).toMatch(durationPattern);
  expect(durationMs(text)).toBe(ms);
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  ['money', 'money'],
  ['money/86400000', 'money per 1d'],
  ['gpu/hours/90000', 'gpu/hours per 90s'],
  ['calls/0', 'calls/0'],
])('the budget %s is shown as "%s"', (budget, shown) => {
  expect(formatBudget(budget)).toBe(shown);
});

test.each(['', '0s', '5', 's', '1.5h', '-1s', '1 h', '1w', '01s', '1h30m', '1000000000s', '1S'])(
  '%j is no duration',
  (text) => {
    expect(text).not.toMatch(durationPattern);
  },
);
