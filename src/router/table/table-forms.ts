import { fault, isJsonObject, type Json } from '../../kernel/index.ts';

/** How the values of a table are read; `path` is how a mistake is found. */
export function readRecord<Value>(
  value: Json | undefined,
  path: string,
  read: (value: Json, path: string, name: string) => Value,
): Record<string, Value> {
  if (!isJsonObject(value)) throw invalid(`${path} must be an object`);
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, one]) => [name, read(one, `${path}.${name}`, name)]),
  );
}

export function readList<Value>(
  value: Json | undefined,
  path: string,
  read: (value: Json, path: string) => Value,
): Value[] {
  if (!Array.isArray(value)) throw invalid(`${path} must be a list`);
  return value.map((one, index) => read(one, `${path}.${index}`));
}

export function readFields(
  value: Json,
  path: string,
  fields: readonly string[],
): Readonly<Record<string, Json | undefined>> {
  if (!isJsonObject(value)) throw invalid(`${path} must be an object`);
  // A misspelt override must not become "no override", which is the baseline.
  const stranger = Object.keys(value).find((name) => !fields.includes(name));
  if (stranger !== undefined) throw invalid(`${path} has a field that is not known: ${stranger}`);
  return value;
}

export function readText(value: Json | undefined, path: string, form: RegExp): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw invalid(`${path} must be a string like ${form.source}`);
}

export function readChoice<Choice extends string>(
  value: Json | undefined,
  path: string,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw invalid(`${path} must be ${choices.join(' or ')}`);
  return found;
}

export function readWhole(
  value: Json | undefined,
  path: string,
  { min, max, what }: { min: number; max: number; what: string },
): number {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  throw invalid(`${path} must be ${what} from ${min} to ${max}`);
}

export function readPort(value: Json | undefined, path: string): number {
  return readWhole(value, path, { min: 1, max: 65_535, what: 'a port' });
}

/** Nothing at all when the field is not there. */
export function optional<Name extends string, Value>(
  name: Name,
  value: Json | undefined,
  read: (value: Json) => Value,
): { [Field in Name]?: Value } {
  if (value === undefined) return {};
  return { [name]: read(value) } as { [Field in Name]: Value };
}

export function invalid(reason: string): Error {
  return fault('ROUTER_REQUEST_INVALID', { reason });
}
