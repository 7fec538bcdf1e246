import { isJsonObject, type Json, type JsonObject } from '../../kernel/index.ts';
import { viewNames } from '../store/views.ts';
import { isAllowedFunction, isAllowedTableFunction } from './functions.ts';

/** What was found in a query that must not be there. */
export interface Objection {
  readonly what: 'table' | 'function' | 'table function' | 'syntax';
  readonly name: string;
}

/** What a query reads, or what is wrong with it. */
export interface QueryReading {
  readonly views: ReadonlySet<string>;
  readonly objections: readonly Objection[];
}

/**
 * Reads the syntax tree that DuckDB made of a query. What is not known to be harmless is objected
 * to: a tree of a newer DuckDB with things in it that nobody has thought of is refused.
 */
export function readSyntax(tree: Json): QueryReading {
  const walk = new Walk();
  walk.visit(tree, new Set());
  return walk;
}

type Names = ReadonlySet<string>;

class Walk implements QueryReading {
  readonly views = new Set<string>();
  readonly objections: Objection[] = [];

  visit(node: Json | undefined, known: Names): void {
    if (Array.isArray(node)) for (const item of node) this.visit(item, known);
    else if (isJsonObject(node)) this.#visitObject(node, known);
  }

  #visitObject(node: JsonObject, known: Names): void {
    this.#checkKind(node);
    if (node.type === 'BASE_TABLE') this.#checkTable(node, known);
    if (node.type === 'TABLE_FUNCTION') this.#visitTableFunction(node, known);
    else if (isJsonObject(node.cte_map)) this.#visitWithNames(node, known);
    else if (node.type === 'RECURSIVE_CTE_NODE') this.#visitRecursion(node, known);
    else this.#visitMembers(node, known);
  }

  #checkKind(node: JsonObject): void {
    for (const kind of [node.class, node.type]) {
      if (typeof kind === 'string' && !kinds.has(kind)) this.#object('syntax', kind);
    }
    if (node.class === 'FUNCTION' || node.class === 'WINDOW') this.#checkFunction(node);
  }

  #checkFunction(node: JsonObject): void {
    const name = text(node.function_name);
    if (multiplying.has(name.toLowerCase()) && !hasConstantAt(node, 2)) {
      this.#object('function', `${name} with anything but a text to put in`);
    }
    if (!isAllowedFunction(name) || !isOwn(node.schema, node.catalog))
      this.#object('function', name);
    const inner = takesLambda(name) && innerLoop(node.children);
    if (inner) this.#object('function', `${inner} within the lambda of ${name}`);
  }

  #checkTable(node: JsonObject, known: Names): void {
    const name = folded(node.table_name);
    const isView = (viewNames as readonly string[]).includes(name);
    const isPlain = text(node.schema_name) === '' && text(node.catalog_name) === '';
    if (!isPlain || !(isView || known.has(name))) {
      this.#object('table', [node.catalog_name, node.schema_name, name].filter(Boolean).join('.'));
    } else if (!known.has(name)) this.views.add(name);
  }

  /** Its function stands for a table, and is none that computes a value. */
  #visitTableFunction(node: JsonObject, known: Names): void {
    const call = isJsonObject(node.function) ? node.function : {};
    const name = text(call.function_name);
    if (!isAllowedTableFunction(name) || !isOwn(call.schema, call.catalog)) {
      this.#object('table function', name);
    }
    this.visit(call.children, known);
  }

  /**
   * Each name of a WITH is known to those after it and to the query below. In its own text the same
   * word is whatever has that name besides: a table, or a file.
   */
  #visitWithNames(node: JsonObject, outer: Names): void {
    const known = new Set(outer);
    for (const entry of entriesOf(node.cte_map)) {
      this.visit(entry.value, known);
      known.add(folded(entry.key));
    }
    const below = { ...node, cte_map: null };
    if (node.type === 'RECURSIVE_CTE_NODE') this.#visitRecursion(below, known);
    else this.#visitMembers(below, known);
  }

  /** Only what is repeated may name what it repeats. */
  #visitRecursion({ right, ...node }: JsonObject, known: Names): void {
    this.#visitMembers(node, known);
    this.visit(right, new Set([...known, folded(node.cte_name)]));
  }

  #visitMembers(node: JsonObject, known: Names): void {
    for (const [key, value] of Object.entries(node)) {
      // The values and types of constants are data: whatever they say, nothing is done with it.
      const isData = data.has(key) || (key === 'value' && node.class === 'CONSTANT');
      if (!isData) this.visit(value, known);
    }
  }

  #object(what: Objection['what'], name: string): void {
    this.objections.push({ what, name });
  }
}

/** These make the product of two texts: no megabyte of one is to meet a megabyte of the other. */
const multiplying: ReadonlySet<string> = new Set(['replace', 'regexp_replace']);

function hasConstantAt(node: JsonObject, index: number): boolean {
  const argument = Array.isArray(node.children) ? node.children[index] : undefined;
  return isJsonObject(argument) && argument.class === 'CONSTANT';
}

const takingLambdas: ReadonlySet<string> = new Set(
  ['transform', 'apply', 'filter', 'reduce'].flatMap((name) => [
    name,
    `list_${name}`,
    `array_${name}`,
  ]),
);
const takesLambda = (name: string): boolean => takingLambdas.has(name.toLowerCase());

/** What does something for each of many, besides those that take lambdas. */
const repeating: ReadonlySet<string> = new Set(['range', 'generate_series']);

/**
 * The name of a loop in a lambda of these arguments. All that a lambda does for one list is one
 * piece of work to DuckDB, which looks at no interrupt meanwhile: a loop in it could take for ever.
 * What stands where a lambda could is one to the parser, an arrow of JSON too.
 */
function innerLoop(node: Json | undefined, isInside = false): string | undefined {
  if (Array.isArray(node)) return firstOf(node, (one) => innerLoop(one, isInside));
  if (!isJsonObject(node)) return undefined;
  const name = node.class === 'FUNCTION' ? text(node.function_name) : '';
  if (isInside && (takesLambda(name) || repeating.has(name.toLowerCase()))) return name;
  // What is not in a lambda of this call is looked at on its own.
  if (!isInside && node.class !== 'LAMBDA') return undefined;
  return firstOf(Object.values(node), (one) => innerLoop(one, true));
}

function firstOf(
  nodes: readonly (Json | undefined)[],
  find: (node: Json | undefined) => string | undefined,
) {
  for (const node of nodes) {
    const found = find(node);
    if (found !== undefined) return found;
  }
  return undefined;
}

const data: ReadonlySet<string> = new Set(['cast_type', 'sample_size']);

/** Operators in a query are functions of DuckDB's own schema. */
function isOwn(schema: Json | undefined, catalog: Json | undefined): boolean {
  return ['', 'main'].includes(text(schema)) && text(catalog) === '';
}

function entriesOf(map: Json | undefined): readonly JsonObject[] {
  const entries = isJsonObject(map) ? map.map : [];
  return Array.isArray(entries) ? entries.filter(isJsonObject) : [];
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/**
 * DuckDB finds tables by any case of their letters, but only of those from A to Z: the sign of
 * Kelvin is no k to it, and a WITH of that name no reason to let through a table that has a k.
 */
function folded(name: Json | undefined): string {
  return text(name).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const kinds: ReadonlySet<string> = new Set([
  ...['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE', 'CTE_NODE'],
  ...['BASE_TABLE', 'SUBQUERY', 'JOIN', 'TABLE_FUNCTION', 'EMPTY', 'EXPRESSION_LIST'],
  ...['ORDER_MODIFIER', 'LIMIT_MODIFIER', 'LIMIT_PERCENT_MODIFIER', 'DISTINCT_MODIFIER'],
  ...['ORDER_DEFAULT', 'ASCENDING', 'DESCENDING'],
  ...['COLUMN_REF', 'CONSTANT', 'VALUE_CONSTANT', 'FUNCTION', 'STAR', 'LAMBDA', 'LAMBDA_REF'],
  ...['OPERATOR', 'COMPARISON', 'CONJUNCTION', 'CASE', 'CASE_EXPR', 'CAST', 'OPERATOR_CAST'],
  ...['BETWEEN', 'COMPARE_BETWEEN', 'COLLATE', 'POSITIONAL_REFERENCE', 'WINDOW'],
  ...['CONJUNCTION_AND', 'CONJUNCTION_OR', 'OPERATOR_NOT', 'OPERATOR_IS_NULL'],
  ...['OPERATOR_IS_NOT_NULL', 'OPERATOR_COALESCE', 'OPERATOR_NULLIF', 'OPERATOR_TRY'],
  ...['COMPARE_EQUAL', 'COMPARE_NOTEQUAL', 'COMPARE_LESSTHAN', 'COMPARE_GREATERTHAN'],
  ...['COMPARE_LESSTHANOREQUALTO', 'COMPARE_GREATERTHANOREQUALTO', 'COMPARE_IN'],
  ...['COMPARE_NOT_IN', 'COMPARE_DISTINCT_FROM', 'COMPARE_NOT_DISTINCT_FROM'],
  ...['ARRAY_EXTRACT', 'ARRAY_SLICE', 'STRUCT_EXTRACT', 'ARRAY_CONSTRUCTOR', 'ARROW'],
  ...['GROUPING_FUNCTION', 'WINDOW_AGGREGATE', 'WINDOW_ROW_NUMBER', 'WINDOW_RANK'],
  ...['WINDOW_RANK_DENSE', 'WINDOW_NTILE', 'WINDOW_PERCENT_RANK', 'WINDOW_CUME_DIST'],
  ...['WINDOW_FIRST_VALUE', 'WINDOW_LAST_VALUE', 'WINDOW_LEAD', 'WINDOW_LAG'],
  ...['WINDOW_NTH_VALUE', 'WINDOW_FILL', 'FUNCTION_REF'],
]);
