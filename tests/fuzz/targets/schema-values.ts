import type { Json, JsonObject } from '../../../src/kernel/index.ts';
import { below, pick, type Random } from '../mutate.ts';

const odd: readonly Json[] = [
  ...[null, true, 0, -1, 1.5, 1e308, 2 ** 53, '', 'a', '\u0000', '__proto__', '../..', '😀'],
  ...['a'.repeat(300), [], {}, [[[[]]]], { a: { b: {} } }, 'person:ada', 'agent:ada', '1h'],
];

/** Identifiers and hashes in what the system answered, so that a later request may name them. */
export class KnownValues {
  readonly #values: string[] = [];

  learn(text: string): void {
    for (const [value] of text
      .slice(0, 4_000)
      .matchAll(/[a-z]{2,12}_[0-9A-Za-z]{10,}|\b[0-9a-f]{64}\b/g)) {
      this.#values.push(value);
    }
    this.#values.splice(0, Math.max(0, this.#values.length - 300));
  }

  pick(random: Random): string {
    return this.#values.length === 0 ? 'a' : pick(random, this.#values);
  }
}

/** A value that a JSON Schema describes, or now and then another one. */
export function schemaValue(
  schema: JsonObject,
  random: Random,
  known: KnownValues,
  depth = 0,
): Json {
  if (random() < 0.06 || depth > 6) return pick(random, odd);
  const inner = (one: Json | undefined): Json =>
    schemaValue((typeof one === 'object' ? one : {}) as JsonObject, random, known, depth + 1);
  if ('const' in schema) return schema.const as Json;
  if (Array.isArray(schema.enum)) return pick(random, schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return inner(pick(random, choices));
  switch (schema.type) {
    case 'object':
      return objectOf(schema, random, known, inner);
    case 'array':
      return Array.from({ length: below(random, 4) }, () => inner(schema.items));
    case 'integer':
    case 'number':
      return pick(random, [
        0,
        1,
        5,
        1_000,
        Number(schema.minimum ?? 2),
        Number(schema.maximum ?? 9),
      ]);
    case 'boolean':
      return random() < 0.5;
    case 'string':
      return random() < 0.5 ? known.pick(random) : pick(random, ['a', 'ada', 'note', 'SELECT 1']);
    default:
      return pick(random, odd);
  }
}

function objectOf(
  { properties, required, additionalProperties }: JsonObject,
  random: Random,
  known: KnownValues,
  inner: (schema: Json | undefined) => Json,
): JsonObject {
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries((properties ?? {}) as JsonObject).filter(([name]) =>
    needed.has(name) ? random() < 0.97 : random() < 0.4,
  );
  const others =
    random() < 0.05 || typeof additionalProperties === 'object'
      ? [[known.pick(random), inner(additionalProperties)] as const]
      : [];
  return Object.fromEntries([
    ...members.map(([name, schema]) => [name, inner(schema)] as const),
    ...others,
  ]);
}
