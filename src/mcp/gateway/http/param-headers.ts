import { isJsonObject, type Json, type JsonObject } from '../../../kernel/index.ts';

interface MirroredArgument {
  readonly header: string;
  readonly path: readonly string[];
}

const mirroredBySchema = new WeakMap<JsonObject, readonly MirroredArgument[]>();

/** Arguments that a tool wants in headers as well: what stands between may route by them. */
function mirroredIn(schema: JsonObject): readonly MirroredArgument[] {
  const known = mirroredBySchema.get(schema);
  if (known) return known;
  const found = [...search(schema, [])];
  mirroredBySchema.set(schema, found);
  return found;
}

function* search(schema: JsonObject, path: readonly string[]): Generator<MirroredArgument> {
  const { 'x-mcp-header': header, properties } = schema;
  if (typeof header === 'string' && path.length > 0) yield { header: `mcp-param-${header}`, path };
  const inside = (isJsonObject(properties ?? null) ? properties : {}) as JsonObject;
  for (const [name, inner] of Object.entries(inside)) {
    if (isJsonObject(inner as Json)) yield* search(inner as JsonObject, [...path, name]);
  }
}

/** Which header says something else than the arguments; undefined: they agree. */
export function contradictingHeader(
  schema: JsonObject,
  given: JsonObject,
  headers: Headers,
): string | undefined {
  return mirroredIn(schema).find(({ header, path }) => {
    const value = valueAt(given, path);
    if (!['string', 'number', 'boolean'].includes(typeof value)) return false;
    const said = decode(headers.get(header));
    return said !== String(value) && !(typeof value === 'number' && isNumber(said, value));
  })?.header;
}

function valueAt(given: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = given;
  for (const name of path)
    value = isJsonObject(value ?? null) ? (value as JsonObject)[name] : undefined;
  return value;
}

function isNumber(said: string | null, value: number): boolean {
  return said !== null && /^-?\d+(?:\.\d+)?$/.test(said) && Number(said) === value;
}

const wrapped = /^=\?base64\?(.*)\?=$/s;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Null: there is none, or it is not what it says that it is. */
function decode(header: string | null): string | null {
  const encoded = wrapped.exec(header ?? '')?.[1];
  if (encoded === undefined) return header;
  if (!base64.test(encoded)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return null;
  }
}
