import { readFileSync, statSync } from 'node:fs';
import { type Document, isMap, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { fault, limits } from '../kernel/index.ts';
import { meaningProblems } from './meaning.ts';
import { type Mistake, nearest, showMistake } from './mistake.ts';
import { type Config, configSchema } from './schema.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads surety.yaml. Every mistake is told at once, each with its place. */
export function readConfig(path: string, environment: Environment): Config {
  return parseConfig(readText(path), { path, environment });
}

/** What a directory without surety.yaml gets. */
export function defaultConfig(): Config {
  return configSchema.parse({});
}

export function parseConfig(
  text: string,
  { path, environment }: { path: string; environment: Environment },
): Config {
  const file = new ConfigText(text);
  const mistakes = file.syntaxMistakes();
  if (mistakes.length === 0) mistakes.push(...file.fillIn(environment));
  if (mistakes.length === 0) {
    const { data, error } = configSchema.safeParse(file.value());
    mistakes.push(...(error ? file.schemaMistakes(error) : file.meaningMistakes(data)));
    if (data && mistakes.length === 0) return data;
  }
  throw fault('CONFIG_INVALID', {
    path,
    count: mistakes.length,
    mistakes: mistakes.map((mistake) => showMistake(path, mistake)).join('\n'),
  });
}

function readText(path: string): string {
  try {
    const { size } = statSync(path);
    const reason = `it has ${size} bytes; at most ${limits.configBytesMax} are read`;
    if (size > limits.configBytesMax) throw new Error(reason);
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw fault('CONFIG_UNREADABLE', { path, reason: (error as Error).message }, error);
  }
}

/** A parsed file that still knows where everything stands. */
class ConfigText {
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  constructor(text: string) {
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      // Aliases can make a small file explode, and nothing here needs them.
      merge: false,
    });
  }

  syntaxMistakes(): Mistake[] {
    const mistakes = [...this.#document.errors, ...this.#document.warnings].map((error) =>
      this.#at(error.pos[0], error.message),
    );
    visit(this.#document, {
      Alias: (_, node) => {
        mistakes.push(this.#atNode(node, 'aliases are not supported; write the value again'));
      },
    });
    return mistakes;
  }

  value(): unknown {
    return this.#document.errors.length > 0
      ? {}
      : (this.#document.toJS({ maxAliasCount: 0 }) ?? {});
  }

  /** `${NAME}` in any value is taken from the environment. */
  fillIn(environment: Environment): Mistake[] {
    const mistakes: Mistake[] = [];
    visit(this.#document, {
      Scalar: (key, node) => {
        if (key === 'key' || typeof node.value !== 'string') return;
        node.value = node.value.replace(/\$\{([A-Za-z_]\w*)\}/g, (whole, name: string) => {
          const value = environment[name];
          if (value !== undefined) return value;
          mistakes.push(this.#atNode(node, `the environment has no variable ${name}`));
          return whole;
        });
      },
    });
    return mistakes;
  }

  schemaMistakes(error: z.ZodError): Mistake[] {
    return error.issues.flatMap((issue) => {
      if (issue.code === 'unrecognized_keys') {
        return issue.keys.map((key) => this.#unknownKey(issue.path, key));
      }
      const name = issue.path.join('.') || 'the file';
      return [this.#atNode(this.#node(issue.path), `${name}: ${lowerFirst(issue.message)}`)];
    });
  }

  /** What the schema can't say because two keys are involved. */
  meaningMistakes(config: Config): Mistake[] {
    return meaningProblems(config).map(({ path, message }) =>
      this.#atNode(this.#node(path), message),
    );
  }

  #unknownKey(path: readonly PropertyKey[], key: string): Mistake {
    const parent = this.#node(path);
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && item.key.value === key)
      : undefined;
    const suggestion = nearest(key, knownKeys(path));
    const hint = suggestion ? `; did you mean "${suggestion}"?` : '';
    const where = path.length > 0 ? ` in ${path.join('.')}` : '';
    return this.#atNode(pair?.key as Node | undefined, `unknown key "${key}"${where}${hint}`);
  }

  /** The node at a path, or the nearest one above it that is in the file. */
  #node(path: readonly PropertyKey[]): Node | undefined {
    for (let length = path.length; length >= 0; length--) {
      const found = this.#document.getIn(path.slice(0, length), true);
      if (found !== undefined) return found as Node;
    }
    return undefined;
  }

  #atNode(node: Node | null | undefined, message: string): Mistake {
    return this.#at(node?.range?.[0] ?? 0, message);
  }

  #at(offset: number, message: string): Mistake {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1), message };
  }
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  let schema: z.core.$ZodType | undefined = configSchema;
  for (const key of path) schema = shapeOf(schema)?.[String(key)] ?? valuesOf(schema);
  return Object.keys(shapeOf(schema) ?? {});
}

function valuesOf(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  const definition = schema?._zod.def as
    | { valueType?: z.core.$ZodType; innerType?: z.core.$ZodType }
    | undefined;
  return (
    definition?.valueType ?? (definition?.innerType ? valuesOf(definition.innerType) : undefined)
  );
}

/** Looks through `.default()` and `.optional()` to the object inside, or to a record's values. */
function shapeOf(schema: z.core.$ZodType | undefined): Record<string, z.core.$ZodType> | undefined {
  const definition = schema?._zod.def as
    | { shape?: Record<string, z.core.$ZodType>; innerType?: z.core.$ZodType }
    | undefined;
  return definition?.shape ?? (definition?.innerType ? shapeOf(definition.innerType) : undefined);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
