import type { ErrorObject } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject, nearest } from '../../../kernel/index.ts';
import type { SchemaMistake } from '../compile/compiled.ts';
import { walkSchema } from './schema-walk.ts';

/** The engine's errors in our words. They never contain values, which may be secrets. */
export function schemaMistakes(
  errors: readonly ErrorObject[],
  schema: JsonObject,
): SchemaMistake[] {
  const names = declaredNames(schema);
  const mistakes = withoutEchoes(errors, names).flatMap((error) => translate(error, names));
  const different = new Map(mistakes.map((one) => [JSON.stringify([one.path, one.message]), one]));
  return [...different.values()];
}

/**
 * After an error inside of a `$ref` or `anyOf`, the engine reports everything declared there as
 * undeclared. Drops these misleading errors.
 */
function withoutEchoes(errors: readonly ErrorObject[], names: readonly string[]): ErrorObject[] {
  const isEcho = ({ keyword, params }: ErrorObject): boolean =>
    keyword === 'unevaluatedProperties' && names.includes(String(params.unevaluatedProperty));
  const heard = errors.filter((error) => !isEcho(error));
  return heard.length > 0 ? heard : [...errors];
}

function translate(error: ErrorObject, names: readonly string[]): SchemaMistake[] {
  const { keyword, params, message = 'is not as declared' } = error;
  const path = stepsOf(error.instancePath);
  const at = (steps: readonly string[], text: string) => [{ path: steps.join('.'), message: text }];
  if (keyword === 'required') return at([...path, params.missingProperty], 'is required');
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const name = String(params.additionalProperty ?? params.unevaluatedProperty);
    return at([...path, name], `is not declared${hint(name, names)}`);
  }
  if (keyword === 'false schema') return at(path, 'is not declared');
  if (keyword === 'enum') return at(path, `must be one of ${params.allowedValues.join(', ')}`);
  if (keyword === 'const') return at(path, `must be ${JSON.stringify(params.allowedValue)}`);
  // These only say that one of the errors next to them applies.
  if (keyword === 'if' || keyword === 'propertyNames') return [];
  return at(path, message);
}

export function stepsOf(instancePath: string): string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function hint(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  return meant && meant !== name ? `; did you mean "${meant}"?` : '';
}

function declaredNames(schema: JsonObject): string[] {
  return [...walkSchema(schema)].flatMap(({ schema: inner }) =>
    isJsonObject(inner) && isJsonObject(inner.properties) ? Object.keys(inner.properties) : [],
  );
}
