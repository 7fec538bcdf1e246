import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../../../kernel/index.ts';
import { lazyEngine, linearPattern } from './schema-engine.ts';

const regExp = Object.assign((pattern: string) => linearPattern(pattern), {
  code: 'linearPattern',
});

/** Accepts any keywords, because others wrote these schemas. Patterns run in linear time, too. */
const engine = lazyEngine({
  strict: false,
  validateFormats: false,
  ownProperties: true,
  addUsedSchema: false,
  code: { regExp },
  logger: false,
});

const compiled = new WeakMap<JsonObject, ValidateFunction | null>();

/**
 * The mistakes of a value by the schema of another server. A schema that does not compile here
 * checks nothing: its server has to check.
 */
export function foreignMistakes(schema: JsonObject, value: Json): string[] {
  const known = compiled.get(schema);
  const validate = known === undefined ? compile(schema) : known;
  if (known === undefined) compiled.set(schema, validate);
  if (!validate || validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = 'is wrong', params }) => {
    const path = instancePath.slice(1).replaceAll('/', '.');
    const extra = (params as { additionalProperty?: string }).additionalProperty;
    const named = extra === undefined ? message : `${message}: ${extra}`;
    return path === '' ? named : `${path} ${named}`;
  });
}

function compile({ $schema: _, $id: __, ...schema }: JsonObject): ValidateFunction | null {
  try {
    const validate = engine().compile(schema);
    engine().removeSchema(schema);
    return validate;
  } catch {
    return null;
  }
}
