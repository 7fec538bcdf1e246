import { type CallTree, requestPaths } from '../../lanes/index.ts';
import type { Difference } from './difference.ts';
import { differenceClasses } from './difference-class.ts';
import { hopName } from './hop-name.ts';
import type { Recordings } from './recording.ts';

/**
 * The most causal first: what fails before what is told, the doing of a changed service before what
 * others made of it, and the deepest call before those above, which only pass it on.
 */
export function orderByCause(
  differences: readonly Difference[],
  { baseline, control, candidate }: Recordings,
  changed: readonly string[],
): Difference[] {
  const hops = [baseline, control, candidate].flatMap((recording) => recording.hops);
  const depths = depthsOf(requestPaths(hops).flatMap(({ calls }) => calls));
  const rank = ({ severity, service, hop, class: kind, confidence }: Difference): number[] => [
    severity === 'fail' ? 0 : 1,
    changed.includes(service) ? 0 : 1,
    -(depths.get(hop ?? service) ?? 0),
    differenceClasses.indexOf(kind),
    -confidence,
  ];
  return differences.toSorted((one, other) => compare(rank(one), rank(other)));
}

/** How far from outside a hop is, by its name; of a service, the farthest hop to it. */
function depthsOf(roots: readonly CallTree[]): Map<string, number> {
  const depths = new Map<string, number>();
  const walk = ({ hop, calls }: CallTree, depth: number): void => {
    for (const name of [hopName(hop), hop.to]) {
      depths.set(name, Math.max(depths.get(name) ?? 0, depth));
    }
    for (const call of calls) walk(call, depth + 1);
  };
  for (const root of roots) walk(root, 1);
  return depths;
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [index, value] of one.entries()) {
    const difference = value - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
