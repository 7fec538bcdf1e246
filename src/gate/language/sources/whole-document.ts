import {
  canonicalJson,
  isFault,
  type Json,
  type JsonObject,
  sharedLimits,
} from '../../../kernel/index.ts';

const kept = [
  'version',
  'mode',
  'variables',
  'tools',
  'roles',
  'agents',
  'budgets',
  'coding',
] as const;

/** The merged document without includes, environments and empty parts. */
export function wholeDocument(parts: JsonObject): JsonObject {
  const present = kept.filter((key) => parts[key] !== undefined && !isEmpty(parts[key] as Json));
  return Object.fromEntries(present.map((key) => [key, parts[key] as Json]));
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/**
 * The text that the ledger stores. It is a text, because in an object the schema of an argument
 * named `password` would be redacted. It has several lines, because adjacent values
 * (`http://host:80","to":"ops@host`) can look like one secret.
 */
export function policyText(document: JsonObject): string {
  return JSON.stringify(JSON.parse(canonicalJson(document)), null, 1);
}

/** Why the ledger cannot store the policy, which is one content. */
export function keepingProblem(document: JsonObject): string | undefined {
  try {
    const bytes = Buffer.byteLength(canonicalJson(policyText(document)));
    if (bytes <= sharedLimits.contentBytesMax) return undefined;
    return `the whole policy has ${bytes} bytes; at most ${sharedLimits.contentBytesMax} are kept`;
  } catch (error) {
    if (!isFault(error)) throw error;
    return error.message;
  }
}
