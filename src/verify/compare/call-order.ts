import { certaintyOf, type Difference } from './difference.ts';
import { hopName } from './hop-name.ts';
import type { Served } from './served.ts';

/** Below this, an order may be chance: calls that are made at the same time arrive as they like. */
const sameOrderMin = 4;

/** The same calls in another order, where the order was always the same. */
export function findReordered(were: readonly Served[], now: readonly Served[]): Difference[] {
  const orders = new Set(were.map(orderOf));
  const [order = ''] = orders;
  if (orders.size !== 1 || were.length < sameOrderMin) return [];
  const changed = now.find(
    (served) => orderOf(served) !== order && sorted(served) === sortedText(order),
  );
  if (!changed) return [];
  return [
    {
      class: 'calls',
      what: 'call-reordered',
      service: changed.hop.to,
      hop: hopName(changed.hop),
      place: null,
      before: order.replaceAll('\n', ', then '),
      after: orderOf(changed).replaceAll('\n', ', then '),
      examples: { before: null, after: changed.hop.path },
      severity: 'notice',
      confidence: certaintyOf(were.length),
    },
  ];
}

function orderOf({ calls }: Served): string {
  return calls.map(hopName).join('\n');
}

function sorted(served: Served): string {
  return sortedText(orderOf(served));
}

function sortedText(order: string): string {
  return order.split('\n').sort().join('\n');
}
