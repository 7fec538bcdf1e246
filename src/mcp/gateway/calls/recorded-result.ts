import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  sha256,
  sharedLimits,
} from '../../../kernel/index.ts';

/** Half of what the ledger keeps of one content: there has to be room for its escapes. */
const keptBytesMax = sharedLimits.contentBytesMax / 2;

/**
 * The result as the ledger can keep it. One that is too large or no strict JSON is passed on to the
 * client, and named by its hash; rules about it then do not hold, as they could not be checked.
 */
export function recordable(result: JsonObject): JsonObject {
  try {
    const text = canonicalJson(result);
    if (text.length <= keptBytesMax) return result;
    return notKept(`it has ${text.length} characters`, sha256(text));
  } catch (error) {
    return notKept((error as Error).message, null);
  }
}

function notKept(reason: string, hash: string | null): JsonObject {
  const text = `The result was not kept: ${reason}.`;
  return { content: [{ type: 'text', text }], _meta: { 'surety/not-kept': { reason, hash } } };
}

/** A recorded value as the answer of a tool; what a recovery read is no such answer by itself. */
export function resultOf(value: Json): JsonObject {
  if (isJsonObject(value) && Array.isArray(value.content)) return value;
  const text = JSON.stringify(value);
  return {
    content: [{ type: 'text', text }],
    structuredContent: isJsonObject(value) ? value : { value },
  };
}
