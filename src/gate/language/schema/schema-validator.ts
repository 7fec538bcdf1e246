import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  lazy,
  sha256,
} from '../../../kernel/index.ts';
import { gateLimits } from '../../limits.ts';
import type { SchemaMistake } from '../compile/compiled.ts';
import { compileSchema } from './schema-engine.ts';
import { schemaMistakes } from './schema-mistakes.ts';

type Check = (value: Json) => SchemaMistake[];

/**
 * A check that prepares and compiles its schema for the first value: of a thousand tools few are
 * called.
 */
export function checkBy(
  schema: JsonObject,
  prepare: (schema: JsonObject) => JsonObject = (same) => same,
): Check {
  return shared(prepare, schema, () => makeCheck(schema, prepare));
}

/** Tools with the same schema share one check, which is compiled once and stays hot. */
function shared(prepare: object, schema: JsonObject, make: () => Check): Check {
  const known = checks.get(prepare) ?? new Map<string, WeakRef<Check>>();
  checks.set(prepare, known);
  const name = sha256(canonicalJson(schema));
  const found = known.get(name)?.deref();
  if (found) return found;
  const made = make();
  known.set(name, new WeakRef(made));
  return made;
}

const checks = new WeakMap<object, Map<string, WeakRef<Check>>>();

function makeCheck(schema: JsonObject, prepare: (schema: JsonObject) => JsonObject): Check {
  const prepared = lazy(() => prepare(schema));
  const isRight = lazy(() => compileSchema(prepared(), 'first'));
  const explain = lazy(() => compileSchema(prepared(), 'all'));
  return (value) => {
    try {
      if (isRight()(value)) return [];
      // Millions of wrong items would give millions of errors, so only the first is reported.
      const judge = hasAtMost(value, gateLimits.schemaNodesMax) ? explain() : isRight();
      judge(value);
      return schemaMistakes(judge.errors ?? [], schema).slice(0, gateLimits.schemaMistakesMax);
    } catch (error) {
      return [{ path: '', message: `can't be checked: ${(error as Error).message}` }];
    }
  };
}

function hasAtMost(value: Json, nodesMax: number): boolean {
  const waiting: Json[] = [value];
  for (let nodes = 0; waiting.length > 0; nodes++) {
    if (nodes + waiting.length > nodesMax) return false;
    const next = waiting.pop() as Json;
    const inside = isJsonObject(next) ? Object.values(next) : Array.isArray(next) ? next : [];
    if (inside.length > nodesMax) return false;
    waiting.push(...inside);
  }
  return true;
}
