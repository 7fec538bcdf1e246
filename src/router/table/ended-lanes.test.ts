import { describe, expect, test } from 'vitest';
import { routerLimits } from '../limits.ts';
import { EndedLanes } from './ended-lanes.ts';
import { emptyTable, type RouteTable } from './table.ts';

const tableWith = (...numbers: number[]): RouteTable => ({
  ...emptyTable,
  lanes: Object.fromEntries(
    numbers.map((n) => [`k${n}`, { lane: `lane_${n}`, overrides: {}, trace: `0000000${n}` }]),
  ),
});

describe('ended lanes', () => {
  test('are found by the number in their trace ids, while the table finds open ones', () => {
    const ended = new EndedLanes();
    ended.remember(tableWith(1, 2), tableWith(2));
    expect(ended.keyOf('trace-00000001')).toBe('k1');
    expect(ended.keyOf('trace-00000002')).toBe('trace-00000002');
    expect(ended.keyOf('k1')).toBe('k1');
  });

  test('are remembered up to a number of lanes, and the oldest are dropped first', () => {
    const ended = new EndedLanes();
    const trace = (n: number): string => n.toString(16).padStart(8, '0');
    const end = (n: number): void => {
      const lanes = { [`k${n}`]: { lane: `lane_${n}`, overrides: {}, trace: trace(n) } };
      ended.remember({ ...emptyTable, lanes }, emptyTable);
    };
    for (let n = 0; n < routerLimits.routerEndedLanesMax; n++) end(n);
    expect(ended.keyOf(`trace-${trace(0)}`)).toBe('k0');
    end(routerLimits.routerEndedLanesMax);
    expect(ended.keyOf(`trace-${trace(0)}`)).toBe(`trace-${trace(0)}`);
    expect(ended.keyOf(`trace-${trace(1)}`)).toBe('k1');
  });
});
