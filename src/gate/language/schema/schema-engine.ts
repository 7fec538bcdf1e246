import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { type JsonObject, lazy } from '../../../kernel/index.ts';
import { formats } from './schema-formats.ts';

/** A pattern with linear time on any text. Throws if RE2 does not support it. */
export function linearPattern(pattern: string): {
  test(text: string): boolean;
  toString(): string;
} {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  // ajv caches patterns by their toString, which must be different for each.
  return { test: (text) => compiled.test(text), toString: () => `re2:${pattern}` };
}

const regExp = Object.assign((pattern: string) => linearPattern(pattern), {
  code: 'linearPattern',
});

/** `strict`, except for problems that our own checks report with their position. */
const options = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // Ignores inherited properties: `toString` is not an argument.
  ownProperties: true,
  formats: { ...formats },
  code: { regExp },
  logger: false as const,
};

const require = createRequire(import.meta.url);
const ajv = lazy((): typeof import('ajv/dist/2020.js') => require('ajv/dist/2020.js'));

/** Created for the first schema, because many policies have none. */
export function lazyEngine(given: Options): () => Ajv2020 {
  return lazy(() => new (ajv().Ajv2020)(given));
}

const first = lazyEngine(options);
const all = lazyEngine({ ...options, allErrors: true });

/** The errors of a schema by the meta-schema, one per position. */
export function schemaErrors({ $schema: _, ...schema }: JsonObject): readonly ErrorObject[] {
  const engine = all();
  if (engine.validateSchema(schema) === true) return [];
  const errors = new Map<string, ErrorObject>();
  for (const error of (engine.errors ?? []).toReversed()) errors.set(error.instancePath, error);
  return [...errors.values()].toReversed();
}

/** Compiles a schema to a validator that reports the first error or all. */
export function compileSchema(schema: JsonObject, errors: 'first' | 'all'): ValidateFunction {
  const engine = errors === 'all' ? all() : first();
  const validate = engine.compile(schema);
  // Otherwise the engine would keep every schema of every policy.
  engine.removeSchema(schema);
  return validate;
}
