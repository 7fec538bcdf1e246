import {
  isFault,
  isJsonObject,
  type Json,
  type JsonObject,
  redactSecrets,
  redactText,
} from '../kernel/index.ts';
import type { Frame, Observation } from './api-schema.ts';
import type { ProbeExpression } from './expression.ts';
import { probeLimits } from './limits.ts';
import type { Scripts } from './script.ts';

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
export function readCondition(answer: EvaluationAnswer | undefined): {
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
