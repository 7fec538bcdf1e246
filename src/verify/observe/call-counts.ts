import type { Hop } from '../../lanes/index.ts';
import type { CallCount } from '../api-schema.ts';

const callsMax = 24;

export function countCalls(hops: readonly Hop[]): CallCount[] {
  const pairs = Map.groupBy(hops, ({ from, to }) => JSON.stringify([from ?? 'outside', to]));
  return [...pairs].slice(0, callsMax).map(([pair, calls]) => {
    const [from, to] = JSON.parse(pair) as [string, string];
    const failed = calls.filter(({ status }) => status >= 500 || status === 0).length;
    return { from, to, count: calls.length, failed };
  });
}
