import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { type JsonObject, lazy } from '../../../kernel/index.ts';
import { formats } from './schema-formats.ts';

/** A pattern that answers in linear time, whatever the text. Throws if RE2 has no such pattern. */
export function linearPattern(pattern: string): {
  test(text: string): boolean;
  toString(): string;
} {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  // ajv keeps patterns by what toString gives: without a text of its own each would be the first.
  return { test: (text) => compiled.test(text), toString: () => `re2:${pattern}` };
}

const regExp = Object.assign((pattern: string) => linearPattern(pattern), {
  code: 'linearPattern',
});

/** `strict` without what our own checks say better: they know the place in the document. */
const options = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // A value has what it has itself: `toString` is nobody's argument.
  ownProperties: true,
  formats: { ...formats },
  code: { regExp },
  logger: false as const,
};

const require = createRequire(import.meta.url);
const ajv = lazy((): typeof import('ajv/dist/2020.js') => require('ajv/dist/2020.js'));

/** An engine is made with the first schema: many policies have none. */
export function lateEngine(given: Options): () => Ajv2020 {
  return lazy(() => new (ajv().Ajv2020)(given));
}

const first = lateEngine(options);
const all = lateEngine({ ...options, allErrors: true });

/** What is wrong with a schema by the rules of JSON Schema itself: one error for each place. */
export function schemaErrors({ $schema: _, ...schema }: JsonObject): readonly ErrorObject[] {
  const engine = all();
  if (engine.validateSchema(schema) === true) return [];
  const errors = new Map<string, ErrorObject>();
  for (const error of (engine.errors ?? []).toReversed()) errors.set(error.instancePath, error);
  return [...errors.values()].toReversed();
}

/** Whether a value is right; the first error, or all of them. */
export function compileSchema(schema: JsonObject, errors: 'first' | 'all'): ValidateFunction {
  const engine = errors === 'all' ? all() : first();
  const validate = engine.compile(schema);
  // The engine would keep every schema of every policy that was ever loaded.
  engine.removeSchema(schema);
  return validate;
}
