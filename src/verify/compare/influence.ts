import type { Hop } from '../../lanes/index.ts';
import type { Difference } from './difference.ts';
import type { DifferenceClass } from './difference-class.ts';

/** What chance also changes in a service: its answers, calls and errors. */
const ofChance: ReadonlySet<DifferenceClass> = new Set(['contract', 'calls', 'status', 'error']);

/** Which differences a change may have caused. */
export interface Influence {
  /**
   * Whether only chance or stored data explains a difference of an unchanged service: no changed
   * service shows a failure, or none of them calls it or is called by it, directly or not.
   */
  isUnexplained(difference: Difference): boolean;
  /** Whether a difference is at a service that never works on a request with a changed one. */
  isApart(difference: Difference): boolean;
}

/** Pure: how far the failures of changed services explain other differences. */
export function influenceOf(
  failures: readonly Difference[],
  changed: readonly string[],
  hops: readonly Hop[],
): Influence {
  const influenced = influencedBy(changed, hops);
  const isCaused = failures.some(({ service }) => changed.includes(service));
  const isApart = ({ class: kind, service }: Difference): boolean =>
    ofChance.has(kind) && !influenced.has(service);
  return {
    isApart,
    isUnexplained: (one) =>
      isApart(one) || (!isCaused && ofChance.has(one.class) && !changed.includes(one.service)),
  };
}

/** The changed services, all that call them, and all that they call, directly or not. */
function influencedBy(changed: readonly string[], hops: readonly Hop[]): Set<string> {
  const calls = new Map(
    hops.map(({ from, to }) => [`${from} ${to}`, { from: from ?? 'outside', to }]),
  );
  const all = [...calls.values()];
  const callers = closure(changed, (one) =>
    all.filter(({ to }) => to === one).map(({ from }) => from),
  );
  const callees = closure(changed, (one) =>
    all.filter(({ from }) => from === one).map(({ to }) => to),
  );
  return new Set([...callers, ...callees]);
}

function closure(first: readonly string[], next: (service: string) => string[]): Set<string> {
  const reached = new Set(first);
  // The loop also visits what is added during it.
  for (const service of reached) for (const other of next(service)) reached.add(other);
  return reached;
}
