import type { Problem } from '../../../document/index.ts';
import { isJsonObject, type Json, type JsonObject, nearest } from '../../../kernel/index.ts';
import { linearPattern, schemaErrors } from './schema-engine.ts';
import { formats } from './schema-formats.ts';
import { stepsOf } from './schema-mistakes.ts';
import { resolveReference, type Subschema, saysMore, typesOf, walkSchema } from './schema-walk.ts';

const keywords = [
  ...['$schema', '$comment', '$defs', '$ref', 'title', 'description', 'default', 'examples'],
  ...['deprecated', 'readOnly', 'writeOnly', 'type', 'enum', 'const', 'format', 'pattern'],
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['multipleOf', 'items', 'prefixItems', 'contains', 'minContains', 'maxContains'],
  ...['minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems', 'properties', 'required'],
  ...['patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas', 'allOf'],
  ...['anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
];

/** The mistakes of a schema, each with its path. */
export function schemaProblems(schema: JsonObject): Problem[] {
  const errors = schemaErrors(schema).map(({ instancePath, message }) => ({
    path: stepsOf(instancePath),
    message: `the schema ${message}`,
  }));
  if (errors.length > 0) return errors;
  return [...walkSchema(schema)].flatMap((part) => partProblems(part, schema));
}

/** Additional mistakes of a schema of arguments, where everything undeclared is denied. */
export function argumentProblems(schema: JsonObject): Problem[] {
  const problems = schemaProblems(schema);
  if (problems.length > 0) return problems;
  if (schema.type !== 'object') {
    return [{ path: [], message: 'arguments are an object: write "type: object"' }];
  }
  return [...walkSchema(schema)].flatMap((part) => opennessProblems(part, schema));
}

function partProblems({ schema, path }: Subschema, root: JsonObject): Problem[] {
  if (!isJsonObject(schema)) return [];
  const problems: Problem[] = [];
  const complain = (keyword: string, message: string) =>
    problems.push({ path: [...path, keyword], message });
  for (const keyword of Object.keys(schema)) {
    if (keywords.includes(keyword)) continue;
    problems.push({ path: [...path, keyword], message: unknownKeyword(keyword), isKey: true });
  }
  const { format, pattern, $ref, $schema } = schema;
  if (typeof format === 'string' && !Object.hasOwn(formats, format)) {
    complain('format', `the format ${format} is not checked here${list(Object.keys(formats))}`);
  }
  if (typeof pattern === 'string') patternProblem(pattern, (text) => complain('pattern', text));
  for (const name of Object.keys((schema.patternProperties ?? {}) as JsonObject)) {
    patternProblem(name, (text) => complain('patternProperties', text));
  }
  if (typeof $ref === 'string' && resolveReference(root, $ref) === undefined) {
    complain('$ref', `there is no ${$ref} in this schema; only #/… is followed`);
  }
  if ($schema !== undefined && $schema !== 'https://json-schema.org/draft/2020-12/schema') {
    complain('$schema', 'use https://json-schema.org/draft/2020-12/schema');
  }
  return problems;
}

function unknownKeyword(keyword: string): string {
  const meant = nearest(keyword, keywords);
  const hint = meant ? `; did you mean "${meant}"?` : '';
  return `unknown keyword "${keyword}" of JSON Schema${hint}`;
}

const list = (names: readonly string[]): string => `; use one of ${names.join(', ')}`;

function patternProblem(pattern: string, complain: (message: string) => void): void {
  try {
    linearPattern(pattern);
  } catch (error) {
    complain(`RE2 has no such pattern: ${(error as Error).message}`);
  }
}

function opennessProblems({ schema, path, standing }: Subschema, root: JsonObject): Problem[] {
  if (!isJsonObject(schema) || standing === 'aside') return [];
  const problems: Problem[] = [];
  if (standing === 'value' && !isTyped(schema, root, 0)) {
    problems.push({ path, message: 'say its type; "true" stands for anything' });
  }
  if (typesOf(schema)?.includes('array') && !('items' in schema)) {
    problems.push({ path, message: 'say what its items are; "items: true" stands for anything' });
  }
  return [...problems, ...requiredProblems(schema, path)];
}

/** Whether the kinds of values that a schema accepts are known. */
function isTyped(schema: Json | undefined, root: JsonObject, depth: number): boolean {
  if (typeof schema === 'boolean') return !schema;
  if (!isJsonObject(schema) || depth > 16) return false;
  if ('type' in schema || 'enum' in schema || 'const' in schema) return true;
  const inner = (branch: Json): boolean => isTyped(branch, root, depth + 1);
  const { $ref, allOf, anyOf, oneOf } = schema;
  if (typeof $ref === 'string' && inner(resolveReference(root, $ref) ?? true)) return true;
  if (Array.isArray(allOf) && allOf.some(inner)) return true;
  return [anyOf, oneOf].some((branches) => Array.isArray(branches) && branches.every(inner));
}

/** An argument that is required but undeclared could never be given. */
function requiredProblems(schema: JsonObject, path: Subschema['path']): Problem[] {
  const { required, properties = {} } = schema;
  const elsewhere = ['additionalProperties', 'patternProperties', 'unevaluatedProperties'];
  if (!Array.isArray(required) || !typesOf(schema)?.includes('object')) return [];
  if (saysMore(schema) || elsewhere.some((keyword) => keyword in schema)) return [];
  const names = Object.keys(properties as JsonObject);
  return required.flatMap((name: string, index) => {
    if (names.includes(name)) return [];
    const meant = nearest(name, names);
    const hint = meant ? `; did you mean "${meant}"?` : '';
    return [{ path: [...path, 'required', index], message: `${name} is not declared${hint}` }];
  });
}
