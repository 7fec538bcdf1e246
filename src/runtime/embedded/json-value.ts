import {
  canonicalJson,
  fault,
  type Json,
  type JsonObject,
  sharedLimits,
} from '../../kernel/index.ts';

/**
 * The arguments as they are now: what was decided about is what runs, whatever the caller does to
 * them meanwhile. What is no JSON stays as it is, for the gate to refuse and to record.
 */
export function snapshot(given: object): JsonObject {
  try {
    return JSON.parse(canonicalJson(given as JsonObject)) as JsonObject;
  } catch {
    return given as JsonObject;
  }
}

/**
 * What a function returned, as JSON keeps it: the same is told now and on every repetition. Where
 * something would be lost the call took effect all the same, so it is in doubt and not failed.
 */
export function jsonOf(value: unknown): Json {
  try {
    const text = JSON.stringify(value ?? null, refuseLost) ?? 'null';
    const canonical = canonicalJson(JSON.parse(text) as Json);
    const bytes = Buffer.byteLength(canonical);
    if (bytes <= sharedLimits.contentBytesMax) return JSON.parse(canonical) as Json;
    throw new Error(`it has ${bytes} bytes, of which ${sharedLimits.contentBytesMax} are kept`);
  } catch (error) {
    const reason = `what it returned cannot be recorded (${(error as Error).message})`;
    throw fault('TOOL_IN_DOUBT', { reason }, error);
  }
}

function refuseLost(name: string, value: unknown): unknown {
  const isLost = typeof value === 'number' ? !Number.isFinite(value) : isCollection(value);
  if (isLost) throw new Error(`${name || 'the value'} is no JSON`);
  return value;
}

function isCollection(value: unknown): boolean {
  return value instanceof Map || value instanceof Set;
}
