type Mutable<Value> = Value extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : Value extends object
    ? { -readonly [Key in keyof Value]: Mutable<Value[Key]> }
    : Value;

/** The contract's types are those of zod, which knows no read-only lists. */
export function mutable<Value>(value: Value): Mutable<Value> {
  return value as Mutable<Value>;
}
