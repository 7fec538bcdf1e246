import { showName } from '../../kernel/index.ts';
import type { GraphEdge } from '../api-schema.ts';
import { outside } from './edges.ts';

/** The calls of one lane as a tree from the outside inwards; each service is expanded once. */
export function drawGraph(edges: readonly GraphEdge[]): string[] {
  const lanes = [...new Set(edges.map(({ lane }) => lane))].sort(baselineFirst);
  return lanes.flatMap((lane) => [
    showName(lane),
    ...drawLane(edges.filter((edge) => edge.lane === lane)).map((line) => `  ${line}`),
  ]);
}

const baselineFirst = (one: string, other: string): number =>
  Number(other === 'baseline') - Number(one === 'baseline') || one.localeCompare(other);

function drawLane(edges: readonly GraphEdge[]): string[] {
  const called = new Set(edges.map(({ callee }) => callee));
  const callers = [...new Set(edges.map(({ caller }) => caller))];
  const entries = callers.filter((caller) => caller === outside || !called.has(caller));
  const drawn = new Set<string>();
  const lines: string[] = [];
  const draw = (caller: string, depth: number): void => {
    if (drawn.has(caller)) return;
    drawn.add(caller);
    for (const edge of edges.filter((one) => one.caller === caller)) {
      const isAgain = drawn.has(edge.callee) && edges.some((one) => one.caller === edge.callee);
      const margin = '   '.repeat(depth);
      lines.push(
        `${margin}└▶ ${showName(edge.callee)}${isAgain ? ' (see above)' : ''}  ${measures(edge)}`,
      );
      lines.push(...edge.differences.map((line) => `${margin}     differs: ${line}`));
      draw(edge.callee, depth + 1);
    }
  };
  const start = (caller: string): void => {
    if (drawn.has(caller)) return;
    lines.push(showName(caller));
    draw(caller, 0);
  };
  // If services only call each other in a circle, the first one starts the tree.
  for (const caller of [...entries, ...callers]) start(caller);
  return lines;
}

function measures(edge: GraphEdge): string {
  const { calls, perSecond, errorPercent, errors, p50Ms, p99Ms, protocols } = edge;
  const failed = errors === 0 ? '' : `  ${errors} failed (${errorPercent} %)`;
  const spoken = protocols.length === 0 ? '' : `  ${protocols.map(showName).join(', ')}`;
  return `${calls} calls, ${perSecond}/s  p50 ${p50Ms} ms  p99 ${p99Ms} ms${failed}${spoken}`;
}
