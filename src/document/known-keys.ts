import type { z } from 'zod';

type Schema = z.core.$ZodType;

interface Inside {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly valueType?: Schema;
  readonly element?: Schema;
  readonly innerType?: Schema;
}

/** The keys that a schema knows at a place in its document. */
export function knownKeys(schema: Schema, path: readonly PropertyKey[]): string[] {
  let at: Schema | undefined = schema;
  for (const key of path) at = memberOf(at, String(key));
  return Object.keys(insideOf(at)?.shape ?? {});
}

function memberOf(schema: Schema | undefined, key: string): Schema | undefined {
  const { shape, valueType, element } = insideOf(schema) ?? {};
  return shape?.[key] ?? valueType ?? element;
}

/** Looks through `.default()` and `.optional()`. */
function insideOf(schema: Schema | undefined): Inside | undefined {
  const definition = schema?._zod.def as Inside | undefined;
  return definition?.innerType ? insideOf(definition.innerType) : definition;
}
