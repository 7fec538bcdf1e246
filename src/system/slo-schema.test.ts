import { expect, test } from 'vitest';
import { systemLimits } from './limits.ts';
import { slo } from './slo-schema.ts';

const parse = (more: object) =>
  slo.safeParse({ service: 'a', availability: 99.9, ...more }).success;
const windows = (count: number) => new Array(count).fill({ minutes: 5, rate: 2 });

test('an objective has a bounded number of windows of a bounded length', () => {
  const longest = systemLimits.sloWindowMinutesMax;
  const most = systemLimits.sloWindowsMax;
  expect(parse({ burn: [{ minutes: longest, rate: 2 }] })).toBe(true);
  expect(parse({ burn: [{ minutes: longest + 1, rate: 2 }] })).toBe(false);
  expect(parse({ burn: windows(most) })).toBe(true);
  expect(parse({ burn: windows(most + 1) })).toBe(false);
});

test.each([
  [{ availability: 49.9 }, false],
  [{ availability: 100 }, false],
  [{ route: 'POST /trades' }, true],
  [{ route: '/trades' }, false],
  [{ latency: { percent: 99, belowMs: 0 } }, false],
  [{ latency: { percent: 99, belowMs: 1 } }, true],
])('of an objective, %j is accepted: %s', (more, isAccepted) => {
  expect(parse(more)).toBe(isAccepted);
});
