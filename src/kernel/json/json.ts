/** What may be stored, hashed or signed: JSON and nothing else. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/**
 * What a schema infers, with read-only members and lists at every depth. Arbitrary JSON is `Json`:
 * the compiler does not end if it maps a recursive type.
 */
export type Immutable<Value> = unknown extends Value
  ? Value
  : [MutableJson] extends [Value]
    ? Json | Extract<Value, undefined>
    : Value extends object
      ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
      : Value;

type MutableJson =
  | null
  | boolean
  | number
  | string
  | MutableJson[]
  | { [key: string]: MutableJson };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
