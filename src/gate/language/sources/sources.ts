import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  DocumentText,
  type EnvironmentVariables,
  type Filling,
  type Problem,
  readText,
} from '../../../document/index.ts';
import { isJsonObject, type JsonObject, tryOr } from '../../../kernel/index.ts';
import { gateLimits } from '../../limits.ts';
import { policySchema } from '../document.ts';
import type { FiledMistake } from './refusal.ts';
import { underServer } from './under-server.ts';

export interface SourceOptions {
  /** For `${NAME}`. If absent, only `run` may use variables, because their values are unknown. */
  readonly environment?: EnvironmentVariables;
  /** The folder of `pack:<name>`, with a folder for each pack and a policy.yaml in it. */
  readonly packs?: string;
}

/** One document of a policy. */
export interface Source {
  readonly path: string;
  readonly text: DocumentText;
  readonly value: JsonObject;
  /** The paths of its direct includes. */
  readonly included: readonly string[];
}

/** Reads a document and its includes, each once, included ones first. */
export class SourceReader {
  readonly sources: Source[] = [];
  readonly mistakes: FiledMistake[] = [];
  /** Whether further checks would only report consequences of the same mistake. */
  isBroken = false;
  readonly #options: SourceOptions;
  readonly #met = new Set<string>();

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  read(path: string, content: string, trail: readonly string[] = [], server?: string): void {
    this.#met.add(identityOf(path, server));
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
    const named = server === undefined ? value : underServer(value, server);
    this.sources.push({ path, text, value: named, included });
  }

  /** Reports what the schema rejects; the rest can still be checked. */
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

  /**
   * Variables in `run` are filled in when it runs, because they may be secrets and the policy is
   * stored.
   */
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
    const [, server] = packOf(name) ?? [];
    const identity = identityOf(path, server);
    const circle = trail.findIndex((before) => identityOf(before) === identityOf(path));
    if (circle >= 0) {
      const names = [...trail.slice(circle), path].join(' → ');
      return { message: `these include each other: ${names}` };
    }
    if (this.#met.has(identity)) return undefined;
    if (this.#met.size >= gateLimits.policyFilesMax) {
      return { message: `a policy has at most ${gateLimits.policyFilesMax} documents` };
    }
    try {
      this.read(path, readText(path, gateLimits.policyBytesMax), trail, server);
      return undefined;
    } catch (error) {
      return { message: `${name} could not be read: ${(error as Error).message}` };
    }
  }

  #locate(name: string, from: string): string | undefined {
    if (!name.startsWith('pack:')) return join(dirname(from), name);
    const [pack] = packOf(name) ?? [];
    const { packs } = this.#options;
    if (packs === undefined || pack === undefined) return undefined;
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

/** `pack:<name>`, or `pack:<name>@<server>` for the tools of one of several servers. */
function packOf(name: string): readonly [pack: string, server: string | undefined] | undefined {
  const found = /^pack:([a-z][a-z0-9-]*)(?:@([a-z][a-z0-9-]{0,39}))?$/.exec(name);
  return found ? [found[1] as string, found[2]] : undefined;
}

/** Identifies a file whatever its name, and the server for which it is read. */
function identityOf(path: string, server?: string): string {
  const file = tryOr(() => realpathSync(path), resolve(path));
  return server === undefined ? file : `${file}@${server}`;
}
