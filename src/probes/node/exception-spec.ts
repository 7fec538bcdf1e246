import type { JsonObject } from '../../kernel/index.ts';
import { isEvaluated } from '../expression/check.ts';
import type { Code } from '../placement/code.ts';
import type { Position } from '../placement/outline.ts';
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
  const { start, end } = (site.around?.node ?? code.outline.program).loc as {
    start: Position;
    end: Position;
  };
  const texts = plan.expressions.map((one) => snapshotOf(isEvaluated(one) ? one.text : 'void 0'));
  return {
    id,
    scriptId: code.script.id,
    from: start.line - 1,
    to: end.line - 1,
    expressions: plan.condition ? [`!!(${plan.condition.text})`, ...texts] : texts,
    condition: plan.condition !== undefined,
    secrets: plan.expressions.map(({ isSecret }) => isSecret),
    hitsMax: plan.hitsMax,
  };
}
