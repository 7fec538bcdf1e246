import type { JsonObject } from '../../kernel/index.ts';
import { isEvaluated } from '../expression/check.ts';
import { childrenOf, type Syntax } from '../expression/syntax.ts';
import type { Code } from '../placement/code.ts';
import { isFunction, type Position } from '../placement/outline.ts';
import type { Site } from '../placement/site.ts';
import type { InstrumentPlan } from '../port.ts';
import { snapshotOf } from './pause-snapshot.ts';

/** What the worker watches: exceptions that pass through one function, or the top of a file. */
export function exceptionSpec({
  id,
  plan,
  code,
  site,
}: {
  readonly id: number;
  readonly plan: InstrumentPlan;
  readonly code: Code;
  readonly site: Site;
}): JsonObject {
  const watched = site.around?.node ?? code.outline.program;
  const texts = plan.expressions.map((one) => snapshotOf(isEvaluated(one) ? one.text : 'void 0'));
  return {
    id,
    scriptId: code.script.id,
    range: rangeOf(watched),
    // Probes of their own are refused where the rules say so: this one must not see them.
    others: functionsIn(watched).map(rangeOf),
    expressions: plan.condition ? [`!!(${plan.condition.text})`, ...texts] : texts,
    condition: plan.condition !== undefined,
    secrets: plan.expressions.map(({ isSecret }) => isSecret),
    hitsMax: plan.hitsMax,
  };
}

/** Line and column of its start and of its end, from 0. */
function rangeOf({ loc }: Syntax): number[] {
  const { start, end } = loc as { start: Position; end: Position };
  return [start.line - 1, start.column, end.line - 1, end.column];
}

/** The functions directly inside of it. */
function functionsIn(node: Syntax): readonly Syntax[] {
  return childrenOf(node).flatMap((child) => (isFunction(child) ? [child] : functionsIn(child)));
}
