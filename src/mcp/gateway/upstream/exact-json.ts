import { isJsonObject, type Json, type JsonObject } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';

/** Marks a result with numbers that are written again exactly as its server wrote them. */
const exact = Symbol('exact numbers');
/** Stands in `_meta` of what replaces a result that is not handed on, and says why. */
const unreadable = 'surety/unreadable';

type Marked = { readonly [exact]?: true };

/** How a number stands in its text; TypeScript does not know it yet. */
type Reviver = (key: string, value: Json, context: { readonly source?: string }) => unknown;
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver?: Reviver): Json;
  rawJSON(text: string): Json;
  isRawJSON(value: Json): boolean;
};

/** Only such a text may hold a number that is written in another way after it was parsed. */
const suspicious = /[:,[]\s*(?:-?(?:\d{16}|\d+\.\d*0(?!\d)|\d+\.\d{15}|\d+(?:\.\d+)?[eE])|-0)/;

/**
 * The text of a message that can be read without filling a stack. An answer that is nested too deep
 * is replaced by one that says so; undefined: nobody waits for it.
 */
export function shallow(text: string): string | undefined {
  if (!isTooDeep(text)) return text;
  const { id, method } = parse(text) as JsonObject;
  if (id === undefined || method !== undefined) return undefined;
  const result = { content: [], _meta: { [unreadable]: tooDeep } };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/**
 * What replaces the result in a message, which SDK or `JSON.parse` have read as they do: undefined
 * where they lose nothing.
 */
export function exactResult(text: string): JsonObject | undefined {
  if (!suspicious.test(text)) return undefined;
  let isOther = false;
  const message = parse(text, (_, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
    isOther = true;
    return rawJSON(source);
  });
  const result = isJsonObject(message) ? message.result : undefined;
  return isOther && isJsonObject(result) ? { ...result, [exact]: true } : undefined;
}

const tooDeep = `its answer is nested deeper than ${mcpLimits.upstreamDepthMax} levels`;

/** Why a result was not handed on; undefined for one that was. */
export function unreadableReason({ _meta: meta }: JsonObject): string | undefined {
  const reason = isJsonObject(meta) ? meta[unreadable] : undefined;
  return typeof reason === 'string' ? reason : undefined;
}

/** For a result that the SDK has copied: it knows nothing of the mark. */
export function marked(result: JsonObject): JsonObject {
  return hasRaw(result) ? { ...result, [exact]: true } : result;
}

function hasRaw(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isRawJSON(value) || Object.values(value).some(hasRaw);
}

/** The result with numbers to calculate with. */
export function withDoubles(result: JsonObject): JsonObject {
  return (result as Marked)[exact] ? (parse(JSON.stringify(result)) as JsonObject) : result;
}

/** The result as it can be recorded: a number that a double would change is kept as text. */
export function withoutLoss(result: JsonObject): JsonObject {
  if (!(result as Marked)[exact]) return result;
  const kept = parse(JSON.stringify(result), (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && isChanged(source, value) ? source : value,
  );
  return kept as JsonObject;
}

function isChanged(source: string, value: number): boolean {
  return digitsOf(source) !== digitsOf(String(value)) || !Number.isFinite(value);
}

function digitsOf(text: string): string {
  const digits = text.replace(/[eE].*$/, '').replace(/\D/g, '');
  return digits.replace(/^0+|0+$/g, '');
}

/** Counted in the text: what recursion would read could be too deep for its stack. */
export function isTooDeep(text: string): boolean {
  if (text.length <= mcpLimits.upstreamDepthMax) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character === quote) index = stringEnd(text, index);
    else if (character === openBrace || character === openBracket) {
      depth += 1;
      if (depth > mcpLimits.upstreamDepthMax) return true;
    } else if (character === closeBrace || character === closeBracket) depth -= 1;
  }
  return false;
}

const [quote, openBrace, closeBrace, openBracket, closeBracket] = [0x22, 0x7b, 0x7d, 0x5b, 0x5d];

/** Where a string ends: at the next quote with an even number of backslashes before it. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
