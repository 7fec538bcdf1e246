import { lazy } from '../../kernel/index.ts';
import { type CallTree, type Hop, requestPaths } from '../../lanes/index.ts';
import type { Difference } from './difference.ts';
import type { DifferenceClass } from './difference-class.ts';
import { hopName } from './hop-name.ts';

/** What chance also changes in a service: its answers, calls and errors. */
const ofChance: ReadonlySet<DifferenceClass> = new Set(['contract', 'calls', 'status', 'error']);

/** Which differences a change may have caused. */
export interface Influence {
  /**
   * Whether only chance or stored data explains a difference of an unchanged service: no changed
   * service shows a failure, or none of them calls it or is called by it, directly or not, or the
   * failure is in other requests.
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
  const causes = failures.filter(({ service }) => changed.includes(service));
  const together = lazy(() => namesInRequestsOf(causes, hops));
  const isCaused = ({ hop }: Difference): boolean =>
    causes.length > 0 && (hop === null || together().has(hop));
  const isApart = ({ class: kind, service }: Difference): boolean =>
    ofChance.has(kind) && !influenced.has(service);
  return {
    isApart,
    isUnexplained: (one) =>
      isApart(one) || (ofChance.has(one.class) && !changed.includes(one.service) && !isCaused(one)),
  };
}

/** The names of all calls in requests that led to one of these; all if one has no call. */
function namesInRequestsOf(causes: readonly Difference[], hops: readonly Hop[]): Set<string> {
  const named = new Set(causes.map(({ hop }) => hop));
  const namesIn = ({ hop, calls }: CallTree): string[] => [hopName(hop), ...calls.flatMap(namesIn)];
  const requests = requestPaths(hops).map(({ calls }) => calls.flatMap(namesIn));
  const isLed = (names: readonly string[]): boolean => names.some((name) => named.has(name));
  return new Set(requests.filter((names) => named.has(null) || isLed(names)).flat());
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
