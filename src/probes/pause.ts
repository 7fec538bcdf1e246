import type { JsonObject } from '../kernel/index.ts';
import type { Capture } from './api-schema.ts';
import { probeLimits } from './limits.ts';
import {
  type EvaluationAnswer,
  readCondition,
  readFrames,
  readObservation,
} from './observation.ts';
import type { ProbePlan } from './request.ts';
import type { Scripts } from './script.ts';
import type { InspectorSession } from './session.ts';
import { snapshotOf } from './snapshot.ts';

/**
 * Everything that a pause is for is sent at once, with "go on" as its last part, so that the
 * process waits for one way there and back whatever is read. Breakpoints stay off from there on:
 * whoever has all answers switches them on again, and no pause ever waits behind another.
 */
export async function readAndResume(
  session: InspectorSession,
  expressions: readonly string[],
  callFrameId: string,
): Promise<readonly EvaluationAnswer[]> {
  // A process that is not told to go on in time gets rid of us, which lets it go on as well.
  const guard = setTimeout(() => session.cut(), probeLimits.probePauseMsMax);
  const answers = Promise.allSettled(
    expressions.map((expression) =>
      session.call('Debugger.evaluateOnCallFrame', { ...evaluation, callFrameId, expression }),
    ),
  );
  const inactive = session.call('Debugger.setBreakpointsActive', { active: false });
  const resumed = session.call('Debugger.resume');
  await Promise.allSettled([inactive, resumed]);
  clearTimeout(guard);
  return answers;
}

/** The second wall: V8 itself stops an evaluation before it changes anything. */
const evaluation = {
  throwOnSideEffect: true,
  timeout: probeLimits.probeEvaluationMsMax,
  silent: true,
};

/** What is evaluated at each pause; `readPause` wants the answers in the same order. */
export function evaluationsOf({ expressions, condition, requestId }: ProbePlan): string[] {
  return [
    ...(condition ? [`!!(${condition.text})`] : []),
    ...(requestId ? [snapshotOf(requestId.text)] : []),
    ...expressions.map(({ text }) => snapshotOf(text)),
  ];
}

export type PauseReading =
  | { readonly isHit: true; readonly values: Pick<Capture, 'values' | 'stack' | 'requestId'> }
  | { readonly isHit: false; readonly conditionError?: string };

export function readPause(
  answers: readonly EvaluationAnswer[],
  paused: JsonObject,
  { plan, scripts }: { readonly plan: ProbePlan; readonly scripts: Scripts },
): PauseReading {
  const rest = [...answers];
  const { holds, error } = readCondition(plan.condition && rest.shift());
  if (!holds) return { isHit: false, ...(error === undefined ? {} : { conditionError: error }) };
  const requestId = plan.requestId && rest.shift();
  const values = plan.expressions.map((expression, index) => [
    expression.text,
    readObservation(rest[index] as EvaluationAnswer, expression),
  ]);
  return {
    isHit: true,
    values: {
      values: Object.fromEntries(values),
      stack: readFrames(paused.callFrames, scripts),
      ...readRequestId(requestId, plan),
    },
  };
}

function readRequestId(
  answer: EvaluationAnswer | undefined,
  { requestId }: ProbePlan,
): { requestId?: string } {
  if (!answer || !requestId) return {};
  const seen = readObservation(answer, requestId);
  return 'value' in seen && seen.value !== null ? { requestId: String(seen.value) } : {};
}
