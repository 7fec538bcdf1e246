import {
  type Document,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml';
import type { z } from 'zod';
import { nearest, sharedLimits } from '../kernel/index.ts';
import { type EnvironmentVariables, fillText } from './environment.ts';
import type { Mistake } from './mistake.ts';

export type Path = readonly PropertyKey[];

/** What is wrong at a place that is known by its keys. */
export interface Problem {
  readonly path: Path;
  readonly message: string;
  /** Within the text that stands there, in UTF-16 units. */
  readonly offset?: number;
  /** Whether it is about the last key itself rather than about what it holds. */
  readonly isKey?: boolean;
}

/** What is done with `${NAME}`; `check`: it stays, but the environment has to have it. */
export type Filling = 'fill' | 'check' | 'leave';

/** A parsed YAML text that still knows where everything stands. */
export class DocumentText {
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#document = this.#parse();
  }

  syntaxMistakes(): Mistake[] {
    if (!this.#document) return [this.#at(0, 'it is nested too deeply')];
    const { errors, warnings } = this.#document;
    if (errors.length + warnings.length > 0) {
      return [...errors, ...warnings].map(({ pos, message }) => this.#at(pos[0], message));
    }
    return this.#forbidden(this.#document);
  }

  /** The document as a plain value; an empty one is `{}`. */
  value(): unknown {
    if (!this.#document || this.#document.errors.length > 0) return {};
    return this.#document.toJS({ maxAliasCount: 0 }) ?? {};
  }

  /** `${NAME}` in any value is taken from the environment, unless `how` says otherwise. */
  fillIn(
    environment: EnvironmentVariables,
    how: (path: readonly string[]) => Filling = () => 'fill',
  ): Mistake[] {
    const mistakes: Mistake[] = [];
    if (!this.#document) return mistakes;
    visit(this.#document, {
      Scalar: (key, node, ancestors) => {
        if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
        const filling = how(keysOf(ancestors));
        if (filling === 'leave') return;
        const { text, missing } = fillText(node.value, environment);
        for (const name of missing) {
          mistakes.push(this.#atNode(node, `the environment has no variable ${name}`));
        }
        if (filling === 'fill') node.value = text;
      },
    });
    return mistakes;
  }

  schemaMistakes(error: z.ZodError, schema: z.core.$ZodType): Mistake[] {
    return error.issues.flatMap((issue) => {
      if (issue.code === 'unrecognized_keys') {
        return issue.keys.map((key) => this.#unknownKey(schema, issue.path, key));
      }
      const name = issue.path.join('.') || 'the file';
      if (issue.code === 'invalid_key') {
        const reason = issue.issues[0]?.message ?? issue.message;
        const place = this.#key(issue.path.slice(0, -1), String(issue.path.at(-1)));
        return [this.#atNode(place, `${name}: ${lowerFirst(reason)}`)];
      }
      return [
        this.mistakeAt({ path: issue.path, message: `${name}: ${lowerFirst(issue.message)}` }),
      ];
    });
  }

  /** At the node of a path, or the nearest one above it that is in the text. */
  mistakeAt({ path, message, offset, isKey }: Problem): Mistake {
    const key = isKey ? this.#key(path.slice(0, -1), String(path.at(-1))) : undefined;
    const node = key ?? this.#node(path);
    if (!isScalar(node) || offset === undefined) return this.#atNode(node, message);
    return this.#at((node.range?.[0] ?? 0) + this.#within(node, offset), message);
  }

  #parse(): Document.Parsed | undefined {
    try {
      return parseDocument(this.#text, {
        lineCounter: this.#lines,
        prettyErrors: false,
        // Aliases can make a small file explode, and nothing here needs them.
        merge: false,
      });
    } catch (error) {
      // The parser descends by calling itself, and only so far.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  #forbidden(document: Document.Parsed): Mistake[] {
    const mistakes: Mistake[] = [];
    visit(document, {
      Alias: (_, node) => {
        mistakes.push(this.#atNode(node, 'aliases are not supported; write the value again'));
      },
      Pair: (_, { key }) => {
        const problem = keyProblem(key);
        if (problem) mistakes.push(this.#atNode(key as Node, problem));
      },
      Scalar: (_, node) => {
        if (typeof node.value !== 'string' || node.value.isWellFormed()) return;
        mistakes.push(this.#atNode(node, 'it holds half a character (a lone surrogate)'));
      },
      Collection: (_, node, ancestors) => {
        if (keyDepth(ancestors) <= sharedLimits.jsonDepthMax) return undefined;
        mistakes.push(this.#atNode(node, `at most ${sharedLimits.jsonDepthMax} levels are read`));
        return visit.SKIP;
      },
    });
    return mistakes;
  }

  #unknownKey(schema: z.core.$ZodType, path: Path, key: string): Mistake {
    const suggestion = nearest(key, knownKeys(schema, path));
    const hint = suggestion ? `; did you mean "${suggestion}"?` : '';
    const where = path.length > 0 ? ` in ${path.join('.')}` : '';
    return this.#atNode(this.#key(path, key), `unknown key "${key}"${where}${hint}`);
  }

  #key(path: Path, key: string): Node | undefined {
    const parent = this.#node(path);
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      : undefined;
    return pair?.key as Node | undefined;
  }

  #node(path: Path): Node | undefined {
    for (let length = path.length; length >= 0; length--) {
      const found = this.#document?.getIn(path.slice(0, length), true);
      if (found !== undefined) return found as Node;
    }
    return undefined;
  }

  /** Only where a text stands as it is read, without escapes or folded lines, places agree. */
  #within(node: Scalar, offset: number): number {
    const [start = 0, end = 0] = node.range ?? [];
    const quotes = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0;
    const source = this.#text.slice(start + quotes, end - quotes);
    return source === node.value ? quotes + offset : 0;
  }

  #atNode(node: Node | null | undefined, message: string): Mistake {
    return this.#at(node?.range?.[0] ?? 0, message);
  }

  #at(offset: number, message: string): Mistake {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1), message };
  }
}

type Ancestors = readonly unknown[];

function keysOf(ancestors: Ancestors): string[] {
  return ancestors.filter(isPair).map(({ key }) => String(isScalar(key) ? key.value : key));
}

function keyProblem(key: unknown): string | undefined {
  if (!isScalar(key)) return 'a key has to be a text';
  // Whoever copies such an object would change what all objects inherit, or lose it.
  return key.value === '__proto__' ? '"__proto__" can\'t be a key' : undefined;
}

function keyDepth(ancestors: Ancestors): number {
  return ancestors.filter((node) => !isPair(node)).length;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

type Schema = z.core.$ZodType;

interface Inside {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly valueType?: Schema;
  readonly element?: Schema;
  readonly innerType?: Schema;
}

/** The keys that a schema knows at a place in its document. */
function knownKeys(schema: Schema, path: readonly PropertyKey[]): string[] {
  let at: Schema | undefined = schema;
  for (const key of path) at = memberOf(at, String(key));
  return Object.keys(insideOf(at)?.shape ?? {});
}

function memberOf(schema: Schema | undefined, key: string): Schema | undefined {
  const { shape, valueType, element } = insideOf(schema) ?? {};
  return shape?.[key] ?? valueType ?? element;
}

/** Looks through `.default()` and `.optional()`. */
function insideOf(schema: Schema | undefined): Inside | undefined {
  const definition = schema?._zod.def as Inside | undefined;
  return definition?.innerType ? insideOf(definition.innerType) : definition;
}
