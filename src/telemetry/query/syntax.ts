import { isJsonObject, type Json, type JsonObject } from '../../kernel/index.ts';
import { viewNames } from '../store/views.ts';
import { isAllowedFunction, isAllowedTableFunction } from './functions.ts';

/** A construct in a query that is not allowed. */
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
 * Checks the syntax tree that DuckDB made of a query. Everything that is not known to be harmless
 * is refused, including constructs of newer versions of DuckDB.
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

  /** A table function stands for a table, and computes no value. */
  #visitTableFunction(node: JsonObject, known: Names): void {
    const call = isJsonObject(node.function) ? node.function : {};
    const name = text(call.function_name);
    if (!isAllowedTableFunction(name) || !isOwn(call.schema, call.catalog)) {
      this.#object('table function', name);
    }
    this.visit(call.children, known);
  }

  /**
   * Each name of a WITH is known to the later ones and to the query below. Within its own
   * definition the same word refers to something else of that name: a table, or a file.
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

  /** Only the recursive part may refer to itself. */
  #visitRecursion({ right, ...node }: JsonObject, known: Names): void {
    this.#visitMembers(node, known);
    this.visit(right, new Set([...known, folded(node.cte_name)]));
  }

  #visitMembers(node: JsonObject, known: Names): void {
    for (const [key, value] of Object.entries(node)) {
      // Values and types of constants are data and are never interpreted.
      const isData = data.has(key) || (key === 'value' && node.class === 'CONSTANT');
      if (!isData) this.visit(value, known);
    }
  }

  #object(what: Objection['what'], name: string): void {
    this.objections.push({ what, name });
  }
}

/** Their cost is the product of two lengths: two megabyte texts must not meet. */
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

/** Functions that repeat work for many items, in addition to those that take lambdas. */
const repeating: ReadonlySet<string> = new Set(['range', 'generate_series']);

/**
 * The name of a loop inside a lambda among these arguments. DuckDB runs a lambda over one list as
 * one piece of work without checking for interrupts, so a loop inside could run for ever. The
 * parser takes an arrow of JSON in the place of a lambda for a lambda, too.
 */
function innerLoop(node: Json | undefined, isInside = false): string | undefined {
  if (Array.isArray(node)) return firstOf(node, (one) => innerLoop(one, isInside));
  if (!isJsonObject(node)) return undefined;
  const name = node.class === 'FUNCTION' ? text(node.function_name) : '';
  if (isInside && (takesLambda(name) || repeating.has(name.toLowerCase()))) return name;
  // Parts outside a lambda of this call are checked separately.
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
 * DuckDB ignores case in table names only for the letters A to Z. The Kelvin sign is no k to it, so
 * a WITH of that name must not allow a table with a k.
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
