import type { Path, Problem } from '../../../document/index.ts';
import { type JsonObject, nearest } from '../../../kernel/index.ts';
import {
  compileExpression,
  type Expression,
  ExpressionMistake,
  type ValueShape,
} from '../../expression/index.ts';
import type { ContractDocument, RuleDocument } from '../contract-schema.ts';
import type { Policy } from '../document.ts';
import { schemaProblems } from '../schema/schema-check.ts';
import { closeObjects } from '../schema/schema-close.ts';
import { isSmall } from '../schema/schema-walk.ts';
import type { CompiledArguments, CompiledRule } from './compiled.ts';
import {
  type ExpressionScope,
  type Scopes,
  schemaShape,
  scopesOf,
  seenShape,
  valueShape,
} from './scopes.ts';

type ExpressionRequest = Parameters<typeof compileExpression>[2];

/** The position of an expression in the document, and the variables that it may read. */
export interface ExpressionPlace {
  readonly path: Path;
  readonly scope: ExpressionScope;
}

/** Continues after a mistake, so that all are reported at once. */
export class Compilation {
  readonly policy: Policy;
  readonly problems: Problem[] = [];
  /** Every known tool; null if there may be others. */
  readonly tools: readonly string[] | null;
  readonly #argumentShapes = new Map<string, ValueShape>();
  readonly #scopes = new Map<string, Scopes>();
  readonly #vars: ValueShape;
  readonly #seen: ValueShape;

  /** `natives` need no contract. If null, unknown names are accepted. */
  constructor(policy: Policy, natives: readonly string[] | null) {
    this.policy = policy;
    this.tools = natives && [...Object.keys(policy.tools), ...natives];
    this.#vars = valueShape(policy.variables as JsonObject);
    this.#seen = seenShape(this.tools);
  }

  complain(path: Path, message: string, offset?: number): void {
    this.problems.push({ path, message, ...(offset === undefined ? {} : { offset }) });
  }

  /** Reports problems inside of the value at a path. */
  complainBelow(path: Path, problems: readonly Problem[]): void {
    this.problems.push(
      ...problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] })),
    );
  }

  contract(tool: string): ContractDocument | undefined {
    const { tools } = this.policy;
    return Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  }

  /**
   * The variables for expressions about a tool. Without a contract, nothing is known about them.
   */
  scopes(tool: string): Scopes {
    const known = this.#scopes.get(tool);
    if (known) return known;
    const reads = Object.entries(this.contract(tool)?.reads ?? {});
    const scopes = scopesOf({
      arguments: this.argumentsShape(tool),
      result: this.resultShape(tool),
      reads: Object.fromEntries(reads.map(([name, read]) => [name, this.resultShape(read.tool)])),
      vars: this.#vars,
      seen: this.#seen,
    });
    this.#scopes.set(tool, scopes);
    return scopes;
  }

  /** The shape of a tool's arguments. A wrong schema is reported once, at its own position. */
  argumentsShape(tool: string): ValueShape {
    const known = this.#argumentShapes.get(tool);
    if (known) return known;
    const schema = this.contract(tool)?.arguments as JsonObject | undefined;
    const shape = this.#shape(schema && closeObjects(schema));
    this.#argumentShapes.set(tool, shape);
    return shape;
  }

  resultShape(tool: string): ValueShape {
    return this.#shape(this.contract(tool)?.result as JsonObject | undefined);
  }

  #shape(schema: JsonObject | undefined): ValueShape {
    const isKnown = schema && schemaProblems(schema).length === 0 && isSmall(schema);
    return schemaShape(isKnown ? schema : undefined);
  }

  expression(
    text: string,
    { path, scope }: ExpressionPlace,
    wanted?: ExpressionRequest,
  ): Expression {
    try {
      return compileExpression(text, scope, wanted);
    } catch (error) {
      if (!(error instanceof ExpressionMistake)) throw error;
      this.complain(path, `${path.join('.')}: ${error.message}`, error.offset);
      return standIn(text);
    }
  }

  optional(
    text: string | undefined,
    place: ExpressionPlace,
    wanted?: ExpressionRequest,
  ): Expression | null {
    return text === undefined ? null : this.expression(text, place, wanted);
  }

  rules(rules: readonly RuleDocument[], { path, scope }: ExpressionPlace): CompiledRule[] {
    return rules.map(({ rule, that, soft, message = null, remedy = null }, index) => {
      if (rules.findIndex((other) => other.rule === rule) < index) {
        this.complain([...path, index, 'rule'], `there are two rules ${rule}`);
      }
      const place = { path: [...path, index, 'that'], scope };
      return { rule, that: this.expression(that, place, 'bool'), soft, message, remedy };
    });
  }

  /** The arguments for another tool: only declared ones, and all required ones. */
  with(
    given: Readonly<Record<string, string>>,
    tool: string,
    { path, scope }: ExpressionPlace,
  ): CompiledArguments {
    const compiled = sortedEntries(given).map(([name, text]) => {
      return [name, this.expression(text, { path: [...path, name], scope })] as const;
    });
    const wanted = this.argumentsShape(tool);
    if (wanted.kind === 'object') this.#checkWith(compiled, wanted, tool, path);
    return compiled;
  }

  #checkWith(
    given: CompiledArguments,
    { fields, required = [], open }: Extract<ValueShape, { kind: 'object' }>,
    tool: string,
    path: Path,
  ): void {
    for (const [name, { kind }] of given) {
      const field = Object.hasOwn(fields, name) ? fields[name] : open;
      if (!field) {
        const hint = didYouMean(name, Object.keys(fields));
        this.complain([...path, name], `${tool} has no argument ${name}${hint}`);
      } else if (!fits(kind, field.kind)) {
        this.complain([...path, name], `${tool} takes ${name} as ${field.kind}, not as ${kind}`);
      }
    }
    const names = new Set(given.map(([name]) => name));
    for (const name of required.filter((needed) => !names.has(needed))) {
      this.complain(path, `${tool} needs the argument ${name}`);
    }
  }

  /** A tool that must have a contract; undefined after a complaint. */
  known(tool: string, path: Path): ContractDocument | undefined {
    const contract = this.contract(tool);
    if (!contract) {
      const hint = didYouMean(tool, Object.keys(this.policy.tools));
      this.complain(path, `there is no tool ${tool}${hint}`);
    }
    return contract;
  }

  readable(tool: string, path: Path): void {
    const contract = this.known(tool, path);
    if (contract && contract.effect !== 'read') {
      this.complain(
        path,
        `${tool} is ${contract.effect}; only a tool with "effect: read" is called`,
      );
    }
  }
}

export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}

/** Sorted, because the ledger stores a policy with sorted keys and must compile it alike. */
export function sortedEntries<Value>(object: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1));
}

function fits(given: ValueShape['kind'], wanted: ValueShape['kind']): boolean {
  if (given === wanted || given === 'any' || wanted === 'any') return true;
  return given === 'int' && wanted === 'double';
}

/** Stands for a wrong expression. A policy with one is never returned. */
function standIn(text: string): Expression {
  const evaluate = (): never => {
    throw new ExpressionMistake('it was not compiled', 0);
  };
  return { text, kind: 'any', stepsMax: 0, paths: [], evaluate };
}
