import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  DocumentText,
  type EnvironmentVariables,
  type Filling,
  type Problem,
  readText,
} from '../../../document/index.ts';
import { isJsonObject, type JsonObject } from '../../../kernel/index.ts';
import { gateLimits } from '../../limits.ts';
import { policySchema } from '../document.ts';
import type { FiledMistake } from './refusal.ts';

export interface SourceOptions {
  /** For `${NAME}`. Absent: only `run` may have any, as nobody can say what they will be. */
  readonly environment?: EnvironmentVariables;
  /** Where `pack:<name>` is found: a folder for each, with a policy.yaml in it. */
  readonly packs?: string;
}

/** One document of a policy. */
export interface Source {
  readonly path: string;
  readonly text: DocumentText;
  readonly value: JsonObject;
  /** Paths of what it includes by itself. */
  readonly included: readonly string[];
}

/** The document and all that it includes, each once, those that are included first. */
export class SourceReader {
  readonly sources: Source[] = [];
  readonly mistakes: FiledMistake[] = [];
  /** Whether there is something that looking further would only make more confusing. */
  isBroken = false;
  readonly #options: SourceOptions;
  readonly #met = new Set<string>();

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  read(path: string, content: string, trail: readonly string[] = []): void {
    this.#met.add(identityOf(path));
    const text = new DocumentText(content);
    const wrong = text.syntaxMistakes();
    this.#file(path, wrong);
    if (wrong.length > 0) {
      this.isBroken = true;
      return;
    }
    this.#file(path, text.fillIn(this.#options.environment ?? {}, this.#filling));
    const value = this.#check(path, text);
    if (!isJsonObject(value)) return;
    const included = this.#readIncluded({ path, text, value }, [...trail, path]);
    this.sources.push({ path, text, value, included });
  }

  /** Tells what the schema does not know; without it the rest can still be looked at. */
  #check(path: string, text: DocumentText): unknown {
    const value = text.value();
    const { error } = policySchema.safeParse(value);
    if (!error) return value;
    this.#file(path, text.schemaMistakes(error, policySchema));
    const unknown = error.issues.filter((issue) => issue.code === 'unrecognized_keys');
    if (unknown.length < error.issues.length) this.isBroken = true;
    for (const { path: place, keys } of unknown) removeKeys(value, place, keys);
    return value;
  }

  /** What a `run` says is filled in when it runs: it may hold secrets, and a policy is kept. */
  readonly #filling = ([section, , field]: readonly string[]): Filling => {
    if (section !== 'tools' || field !== 'run') return 'fill';
    return this.#options.environment ? 'check' : 'leave';
  };

  #readIncluded(
    { path, text, value }: Omit<Source, 'included'>,
    trail: readonly string[],
  ): string[] {
    const { include } = value;
    if (!Array.isArray(include)) return [];
    return include.flatMap((name: unknown, index) => {
      if (typeof name !== 'string') return [];
      const problem = this.#include(name, path, trail);
      if (problem) {
        this.isBroken = true;
        this.#file(path, [text.mistakeAt({ path: ['include', index], ...problem })]);
      }
      return this.#locate(name, path) ?? [];
    });
  }

  #include(
    name: string,
    from: string,
    trail: readonly string[],
  ): Pick<Problem, 'message'> | undefined {
    const path = this.#locate(name, from);
    if (path === undefined) return { message: `there is nowhere to find ${name}` };
    const identity = identityOf(path);
    const circle = trail.findIndex((before) => identityOf(before) === identity);
    if (circle >= 0) {
      const names = [...trail.slice(circle), path].join(' → ');
      return { message: `these include each other: ${names}` };
    }
    if (this.#met.has(identity)) return undefined;
    if (this.#met.size >= gateLimits.policyFilesMax) {
      return { message: `a policy has at most ${gateLimits.policyFilesMax} documents` };
    }
    try {
      this.read(path, readText(path, gateLimits.policyBytesMax), trail);
      return undefined;
    } catch (error) {
      return { message: `${name} could not be read: ${(error as Error).message}` };
    }
  }

  #locate(name: string, from: string): string | undefined {
    if (!name.startsWith('pack:')) return join(dirname(from), name);
    const pack = name.slice('pack:'.length);
    const { packs } = this.#options;
    if (packs === undefined || !/^[a-z][a-z0-9-]*$/.test(pack)) return undefined;
    return join(packs, pack, 'policy.yaml');
  }

  #file(file: string, mistakes: readonly Omit<FiledMistake, 'file'>[]): void {
    this.mistakes.push(...mistakes.map((mistake) => ({ ...mistake, file })));
  }
}

function removeKeys(value: unknown, path: readonly PropertyKey[], keys: readonly string[]): void {
  const parent = path.reduce<unknown>((at, key) => Reflect.get(at as object, key), value);
  for (const key of keys) Reflect.deleteProperty(parent as object, key);
}

/** The same file by whatever name. */
function identityOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
