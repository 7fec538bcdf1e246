import {
  isJsonObject,
  type Json,
  type JsonObject,
  redactField,
  redactText,
} from '../../kernel/index.ts';
import type { Capture, Observation } from '../api-schema.ts';
import type { ProbeExpression } from '../expression/check.ts';
import { probeLimits } from '../limits.ts';
import type { Code } from '../placement/code.ts';
import { scriptOf } from '../placement/script.ts';

/** A value as the agent made it, without secrets and cut to size. */
export function toObservation(
  seen: Json,
  { isSecret, name = 'value' }: ProbeExpression,
): Observation {
  if (!Array.isArray(seen)) return { error: errorOf(seen) };
  const [type, value] = seen as [string, Json];
  return { type, value: isSecret ? '[redacted]' : cut(redactField(name, value)) };
}

function errorOf(seen: Json): string {
  const text = isJsonObject(seen) ? String(seen.error) : 'it was not read';
  return redactText(text).slice(0, probeLimits.probeStringCharsMax);
}

function cut(value: Json): Json {
  const { probeStringCharsMax: max } = probeLimits;
  if (typeof value === 'string') return value.length > max ? `${value.slice(0, max)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cut);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cut(member)]));
}

/** Frames in the probed file are shown as lines of its source. */
export function toFrame(frame: JsonObject, { script, map }: Code): Capture['stack'][number] {
  const file = scriptOf({ ...frame, url: frame.file ?? '' }).path;
  const line = Number(frame.line);
  const original =
    map && file === script.path ? map.original(line, Number(frame.column) - 1) : undefined;
  return {
    function: String(frame.function),
    file: original?.file ?? file,
    line: original?.line ?? line,
  };
}
