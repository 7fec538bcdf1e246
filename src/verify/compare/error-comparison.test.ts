import { describe, expect, test } from 'vitest';
import type { Lane } from '../../lanes/index.ts';
import { ErrorComparison } from './error-comparison.ts';

const warning = '(node:7) MaxListenersExceededWarning: Possible EventEmitter memory leak';
const laneOf = (name: string): Lane =>
  ({ lane: name, candidates: [{ service: 'validation', name: `${name}.validation` }] }) as never;
const pair = { control: laneOf('a'), candidate: laneOf('b') };

/** Each start appends these lines to the logs. */
async function watched(...starts: { a?: string[]; b?: string[] }[]): Promise<ErrorComparison> {
  const logs: Record<string, string[]> = { 'a.validation': [warning], 'b.validation': [warning] };
  const errors = new ErrorComparison(['validation', 'orders'], {
    readLog: async (log, { lines, after = 0 }) => ({
      lines: lines === 0 ? [] : (logs[log] ?? []).slice(after),
      next: logs[log]?.length ?? 0,
    }),
  });
  for (const { a = [], b = [] } of starts) {
    await errors.during(pair, async () => {
      logs['a.validation']?.push(...a);
      logs['b.validation']?.push(...b);
    });
  }
  return errors;
}

describe('an error during many requests', () => {
  test('is certain only if two starts show it', async () => {
    const twice = await watched({ b: [warning] }, { b: [warning] });
    expect(twice.certain).toMatchObject([{ class: 'error', service: 'validation' }]);
    expect(twice.once).toEqual([]);
    const often = await watched({ b: [warning, warning, warning] });
    expect({ certain: often.certain.length, once: often.once.length }).toEqual({
      certain: 0,
      once: 1,
    });
  });

  test('of one start is not certain', async () => {
    const { certain, once } = await watched({ b: [warning] }, {});
    expect(certain).toEqual([]);
    expect(once).toHaveLength(1);
  });

  test('does not count if the baseline has it in any start, or had it earlier', async () => {
    const { certain, once } = await watched({ b: [warning] }, { a: [warning], b: [warning] });
    expect([...certain, ...once]).toEqual([]);
    expect((await watched({ b: ['all is well'] })).once).toEqual([]);
  });
});
