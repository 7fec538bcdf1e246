import { isAbsolute } from 'node:path';
import { type Fault, fault, isJsonObject, type Json } from '../../kernel/index.ts';

/**
 * Reads one value and says what is wrong with it. The keeper has no dependencies, so this is all
 * the schema library it gets. What was sent is never quoted: it may be a secret.
 */
export type Field<Value> = (value: Json | undefined, path: string) => Value;

type FieldValues<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends Field<infer V> ? V : never;
};

export function objectOf<Fields extends Record<string, Field<unknown>>>(
  fields: Fields,
): Field<FieldValues<Fields>> {
  return (value, path) => {
    if (!isJsonObject(value)) throw invalid(path, 'must be an object');
    for (const name of Object.keys(value)) {
      // A misspelt leaseMs must not become "no lease".
      if (!Object.hasOwn(fields, name)) throw invalid(path, 'has a field that is not known');
    }
    const read = Object.entries(fields).map(([name, field]) => [
      name,
      field(value[name], `${path}.${name}`),
    ]);
    return Object.fromEntries(read) as FieldValues<Fields>;
  };
}

export function listOf<Value>(field: Field<Value>): Field<readonly Value[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw invalid(path, 'must be a list');
    return value.map((item: Json, index) => field(item, `${path}[${index}]`));
  };
}

export function nullOr<Value>(field: Field<Value>): Field<Value | null> {
  return (value, path) => (value === null ? null : field(value, path));
}

export function unlessGiven<Value>(standard: Value, field: Field<Value>): Field<Value> {
  return (value, path) => (value === undefined ? standard : field(value, path));
}

export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): Field<number> {
  return (value, path) => {
    if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) {
      return value as number;
    }
    throw invalid(path, `must be a whole number from ${min} to ${max}`);
  };
}

export function oneOf<const Value extends string>(...values: readonly Value[]): Field<Value> {
  return (value, path) => {
    if (values.includes(value as Value)) return value as Value;
    throw invalid(path, `must be one of ${values.join(', ')}`);
  };
}

export const yesOrNo: Field<boolean> = (value, path) => {
  if (typeof value === 'boolean') return value;
  throw invalid(path, 'must be true or false');
};

export function matching(pattern: RegExp): Field<string> {
  return (value, path) => {
    if (typeof value === 'string' && pattern.test(value)) return value;
    throw invalid(path, `must be a string like ${pattern.source}`);
  };
}

/** The operating system ends a string at NUL; what follows would silently be lost. */
export const text: Field<string> = (value, path) => {
  if (typeof value === 'string' && !value.includes('\0')) return value;
  throw invalid(path, 'must be a string without NUL');
};

export const absolutePath: Field<string> = (value, path) => {
  const read = text(value, path);
  if (isAbsolute(read)) return read;
  throw invalid(path, 'must be an absolute path');
};

export function invalid(path: string, reason: string): Fault {
  return fault('KEEPER_REQUEST_INVALID', { reason: `${path} ${reason}` });
}
