import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../../../kernel/index.ts';
import { lateEngine, linearPattern } from './schema-engine.ts';

const regExp = Object.assign((pattern: string) => linearPattern(pattern), {
  code: 'linearPattern',
});

/** Takes what other people write into schemas; patterns end here, too. */
const engine = lateEngine({
  strict: false,
  validateFormats: false,
  ownProperties: true,
  addUsedSchema: false,
  code: { regExp },
  logger: false,
});

const compiled = new WeakMap<JsonObject, ValidateFunction | null>();

/**
 * What is wrong with a value by a schema of somebody else. One that cannot be compiled here checks
 * nothing: whoever wrote it has to check by it.
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
