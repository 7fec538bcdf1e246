import {
  isFault,
  isJsonObject,
  type Json,
  type JsonObject,
  redactSecrets,
  redactText,
} from '../kernel/index.ts';
import type { Capture, Frame, Observation } from './api-schema.ts';
import type { ProbeExpression } from './expression.ts';
import { probeLimits } from './limits.ts';
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

/** V8's answer to one evaluation, or why there is none. */
export type EvaluationAnswer = PromiseSettledResult<JsonObject>;

/** A snapshot as the target made it, without secrets and cut to size. */
export function readObservation(
  answer: EvaluationAnswer,
  { isSecret }: ProbeExpression,
): Observation {
  const error = errorOf(answer);
  if (error !== undefined) return { error };
  const [type, value] = JSON.parse(String(resultOf(answer).value)) as [string, Json];
  return { type, value: isSecret ? '[redacted]' : cut(redactSecrets(value)) };
}

/** Whether a condition held; a condition that fails is told, since it would never be met. */
function readCondition(answer: EvaluationAnswer | undefined): {
  holds: boolean;
  error?: string;
} {
  if (!answer) return { holds: true };
  const error = errorOf(answer);
  if (error !== undefined) return { holds: false, error };
  return { holds: resultOf(answer).value === true };
}

/** The innermost first. V8 names scripts by number only. */
export function readFrames(callFrames: Json | undefined, scripts: Scripts): readonly Frame[] {
  const frames = callFrames as readonly JsonObject[];
  return frames.slice(0, probeLimits.probeFramesMax).map(({ functionName, location }) => {
    const { scriptId, lineNumber } = location as JsonObject;
    return {
      function: String(functionName).slice(0, probeLimits.probeStringCharsMax),
      file: scripts.get(String(scriptId))?.path ?? '',
      line: Number(lineNumber) + 1,
    };
  });
}

function resultOf(answer: EvaluationAnswer): JsonObject {
  return answer.status === 'fulfilled' ? (answer.value.result as JsonObject) : {};
}

function errorOf(answer: EvaluationAnswer): string | undefined {
  if (answer.status === 'rejected') return explain(reasonOf(answer.reason));
  const details = answer.value.exceptionDetails;
  if (!isJsonObject(details)) return undefined;
  const { description, value } = (details.exception ?? {}) as JsonObject;
  return explain(String(description ?? value ?? details.text).split('\n')[0] as string);
}

function reasonOf(error: unknown): string {
  return isFault(error) ? String(error.values.reason) : String(error);
}

function explain(message: string): string {
  if (message.startsWith('EvalError: Possible side-effect')) return sideEffect;
  if (message === 'Execution was terminated') {
    return `it took longer than ${probeLimits.probeEvaluationMsMax} ms`;
  }
  return redactText(message).slice(0, probeLimits.probeStringCharsMax);
}

/** Said by the second wall: V8 stopped the evaluation before anything was changed. */
export const sideEffect = 'reading it would change the process, so V8 refused';

function cut(value: Json): Json {
  if (typeof value === 'string') return cutText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cut);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cut(member)]));
}

function cutText(text: string): string {
  const { probeStringCharsMax } = probeLimits;
  return text.length > probeStringCharsMax ? `${text.slice(0, probeStringCharsMax)}…` : text;
}
