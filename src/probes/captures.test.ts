import { expect, test } from 'vitest';
import type { Capture } from './api-schema.ts';
import { CaptureList } from './captures.ts';
import { probeLimits } from './limits.ts';

const capture = (hit: number): Capture => ({ at: 0, hit, values: {}, stack: [], pid: 1 });

test('captures are kept up to a limit, and readers get those that are kept', async () => {
  const list = new CaptureList();
  const all = Array.from({ length: probeLimits.probeCapturesKeptMax + 1 }, (_, index) =>
    capture(index + 1),
  );
  list.push(all.slice(0, -1));
  expect(list.kept).toHaveLength(probeLimits.probeCapturesKeptMax);
  list.push(all.slice(-1));
  expect(list.kept[0]?.hit).toBe(2);
  list.close();
  const read: number[] = [];
  for await (const { hit } of list) read.push(hit);
  expect([read.length, read.at(-1)]).toEqual([
    probeLimits.probeCapturesKeptMax,
    probeLimits.probeCapturesKeptMax + 1,
  ]);
});
