import { expect, test } from 'vitest';
import type { GraphEdge } from '../api-schema.ts';
import { drawGraph } from './draw.ts';

const edge = (caller: string, callee: string, more: Partial<GraphEdge> = {}): GraphEdge => ({
  caller,
  callee,
  lane: 'baseline',
  protocols: [],
  calls: 4,
  perSecond: 2,
  errors: 0,
  errorPercent: 0,
  p50Ms: 1,
  p99Ms: 3,
  shapes: [],
  differences: [],
  ...more,
});

const measured = '4 calls, 2/s  p50 1 ms  p99 3 ms';

test('draws a graph from the outside inwards, each service once, the baseline first', () => {
  const edges = [
    edge('outside', 'edge', { lane: 'lane_a', protocols: ['http1'], differences: ['x is new'] }),
    edge('orders', 'pricing', { errors: 1, errorPercent: 25 }),
    edge('edge', 'orders'),
    edge('outside', 'edge'),
    edge('cron', 'orders'),
  ];
  expect(drawGraph(edges)).toEqual([
    'baseline',
    '  outside',
    `  └▶ edge  ${measured}`,
    `     └▶ orders  ${measured}`,
    `        └▶ pricing  ${measured}  1 failed (25 %)`,
    '  cron',
    `  └▶ orders (see above)  ${measured}`,
    'lane_a',
    '  outside',
    `  └▶ edge  ${measured}  http1`,
    '       differs: x is new',
  ]);
});

test('draws services that call each other in a circle', () => {
  expect(drawGraph([edge('a', 'b'), edge('b', 'a')])).toEqual([
    'baseline',
    '  a',
    `  └▶ b  ${measured}`,
    `     └▶ a (see above)  ${measured}`,
  ]);
});
