import { describe, expect, test } from 'vitest';
import {
  atLeast,
  atMost,
  interleave,
  median,
  medianRatio,
  mergeResults,
  quantile,
  runParts,
} from './bench.ts';
import { benchmarksDocument } from './document.ts';

// proves: frame.bench
describe('the benchmark frame', () => {
  test('runs contenders in turn and does not count the first round', async () => {
    const order: string[] = [];
    const contender = (name: string, operations: number) => ({
      name,
      round: async () => {
        order.push(name);
        return operations;
      },
    });
    const measured = await interleave([contender('a', 10), contender('b', 20)], 2, () => undefined);
    expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
    expect(measured.get('a')).toHaveLength(2);
    expect(measured.get('b')?.map(({ operations }) => operations)).toEqual([20, 20]);
  });

  test('a contender that finds its own output wrong ends the run', async () => {
    const broken = { name: 'a', round: () => Promise.reject(new Error('wrong output')) };
    await expect(interleave([broken], 1, () => undefined)).rejects.toThrow('wrong output');
  });

  test('ratios are taken within a round, so slow rounds cancel out', () => {
    const round = (operations: number, seconds: number) => ({ operations, seconds, cpuSeconds: 0 });
    const ours = [round(100, 1), round(100, 10), round(100, 2)];
    const theirs = [round(200, 1), round(200, 10), round(200, 2)];
    expect(medianRatio(ours, theirs)).toBe(0.5);
  });

  test('bars hold on their own side only', () => {
    expect(atLeast('a', '', 0.6, 0.6, '×').holds).toBe(true);
    expect(atLeast('a', '', 0.59, 0.6, '×').holds).toBe(false);
    expect(atMost('a', '', 150, 150, 'ms').holds).toBe(true);
    expect(atMost('a', '', 151, 150, 'ms').holds).toBe(false);
  });

  test('quantiles are those of the sorted values', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(quantile([4, 3, 2, 1], 0.99)).toBe(4);
  });

  test('a part that runs alone replaces its own results and keeps those of the others', async () => {
    const bar = (id: string, value: number) => atMost(id, '', value, 10, 'ms');
    const parts = {
      ready: async () => ({ bars: [bar('a', 1)], rows: [{ contender: 'node', ms: 1 }] }),
      memory: async () => ({ bars: [bar('b', 2)], rows: [{ contender: 'node', MB: 2 }] }),
    };
    const whole = await runParts({ title: '', parts }, () => undefined);
    const faster = {
      ...parts,
      ready: async () => ({ bars: [bar('a', 0)], rows: [{ contender: 'node', ms: 0 }] }),
    };
    const alone = await runParts({ title: '', parts: faster }, () => undefined, 'ready');
    expect(mergeResults(whole, alone)).toEqual({
      bars: [bar('a', 0), bar('b', 2)],
      rows: [
        { contender: 'node', ms: 0 },
        { contender: 'node', MB: 2 },
      ],
    });
  });

  test('the document shows every bar with its number, held or missed', () => {
    expect(benchmarksDocument()).toMatch(/\| `ledger\.append\.sqlite` \| [\d.]+ × \| ≥ 0\.6 \|/);
  });
});
