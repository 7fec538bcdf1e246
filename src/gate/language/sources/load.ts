import { type Path, type Problem, readText } from '../../../document/index.ts';
import { canonicalJson, fault, type Json, type JsonObject } from '../../../kernel/index.ts';
import { gateLimits } from '../../limits.ts';
import { didYouMean } from '../compile/compilation.ts';
import { type CompileOptions, compileDocument } from '../compile/compile.ts';
import type { CompiledPolicy } from '../compile/compiled.ts';
import { type FiledMistake, refusal } from './refusal.ts';
import { type Source, type SourceOptions, SourceReader } from './sources.ts';
import { chosenVariables, type Environments, environmentProblems } from './variables.ts';
import { keepingProblem, wholeDocument } from './whole-document.ts';

export interface LoadOptions extends SourceOptions, CompileOptions {
  /** The name of the environment whose values the variables get. */
  readonly name?: string;
}

/** Loads a policy file with its includes. Reports every mistake at once, with its position. */
export function loadPolicy(path: string, options: LoadOptions = {}): CompiledPolicy {
  return parsePolicy(readPolicyText(path), { ...options, path });
}

/** Parses the text of a policy. Includes are relative to `path`. */
export function parsePolicy(
  text: string,
  { path, name, natives, ...options }: LoadOptions & { readonly path: string },
): CompiledPolicy {
  if (Buffer.byteLength(text) > gateLimits.policyBytesMax) throw unreadable(path, tooLarge(text));
  const reader = new SourceReader(options);
  reader.read(path, text);
  if (reader.isBroken) throw refusal(path, reader.mistakes);
  const merged = new MergedSources(reader.sources, name);
  const together = [...merged.mistakes, ...keepingMistakes(merged.document, path)];
  const mistakes = [...reader.mistakes, ...together];
  if (together.length > 0) throw refusal(path, mistakes);
  const { policy, problems } = compileDocument(merged.document, natives ? { natives } : {});
  mistakes.push(...problems.map((problem) => merged.locate(problem)));
  if (mistakes.length === 0) return policy;
  throw refusal(path, mistakes);
}

export function readPolicyText(path: string): string {
  try {
    return readText(path, gateLimits.policyBytesMax);
  } catch (error) {
    throw unreadable(path, (error as Error).message, error);
  }
}

function unreadable(path: string, reason: string, cause?: unknown) {
  return fault('POLICY_UNREADABLE', { path, reason }, cause);
}

function tooLarge(text: string): string {
  return `it has ${Buffer.byteLength(text)} bytes; at most ${gateLimits.policyBytesMax} are read`;
}

function keepingMistakes(document: JsonObject, file: string): FiledMistake[] {
  const message = keepingProblem(document);
  return message === undefined ? [] : [{ file, line: 1, column: 1, message }];
}

/** Several documents merged to one that still knows the source of each part. */
class MergedSources {
  readonly document: JsonObject;
  readonly mistakes: FiledMistake[] = [];
  readonly #root: Source;
  readonly #owners = new Map<string, Source>();
  readonly #budgets: { readonly source: Source; readonly index: number }[] = [];

  /** Included documents come first, the main document last. */
  constructor(sources: readonly Source[], environment: string | undefined) {
    this.#root = sources.at(-1) as Source;
    const { version = 1, mode } = this.#root.value;
    this.document = wholeDocument({
      version,
      ...(mode === undefined ? {} : { mode }),
      variables: this.#variables(sources, environment),
      tools: this.#takeSection('tools', sources),
      roles: this.#takeSection('roles', sources),
      agents: this.#takeSection('agents', sources),
      budgets: sources.flatMap((source) => this.#takeBudgets(source)),
      coding: this.#takeSection('coding', sources),
    });
    for (const source of sources) if (source !== this.#root) this.#checkIncluded(source);
    this.#checkEnvironments(sources, environment);
  }

  /** The position of a problem in its source file. */
  locate(problem: Problem): FiledMistake {
    const [section, name] = problem.path;
    if (section === 'budgets' && typeof name === 'number') {
      const { source, index } = this.#budgets[name] ?? { source: this.#root, index: name };
      return at(source, { ...problem, path: ['budgets', index, ...problem.path.slice(2)] });
    }
    const owner = this.#owners.get(`${String(section)}/${String(name)}`) ?? this.#root;
    return at(owner, problem);
  }

  #takeSection(section: string, sources: readonly Source[]): JsonObject {
    const taken: Record<string, Json> = {};
    for (const source of sources) {
      for (const [name, value] of Object.entries((source.value[section] ?? {}) as JsonObject)) {
        const owner = this.#owners.get(`${section}/${name}`);
        if (owner) this.#complainTwice(owner, source, [section, name]);
        this.#owners.set(`${section}/${name}`, source);
        taken[name] = value;
      }
    }
    return taken;
  }

  #complainTwice(owner: Source, source: Source, path: Path): void {
    const first = owner.text.mistakeAt({ path, message: '', isKey: true });
    const message = `${String(path[1])} is in ${owner.path}:${first.line}:${first.column} as well`;
    this.mistakes.push(at(source, { path, message, isKey: true }));
  }

  #takeBudgets(source: Source): readonly Json[] {
    const budgets = (source.value.budgets ?? []) as readonly Json[];
    this.#budgets.push(...budgets.map((_, index) => ({ source, index })));
    return budgets;
  }

  /** The including document wins; two included documents on the same level must agree. */
  #variables(sources: readonly Source[], environment: string | undefined): JsonObject {
    const variables: Record<string, Json> = {};
    const own = chosenVariables(this.#root.value, environment);
    for (const source of sources) {
      for (const [name, value] of Object.entries(chosenVariables(source.value, environment))) {
        const path = ['variables', name];
        const owner = this.#owners.get(path.join('/'));
        const isSame = owner && canonicalJson(variables[name] as Json) === canonicalJson(value);
        if (owner && !isSame && !Object.hasOwn(own, name) && !includes(source, owner)) {
          this.#complainTwice(owner, source, path);
        }
        this.#owners.set(path.join('/'), source);
        variables[name] = value;
      }
    }
    return variables;
  }

  #checkIncluded(source: Source): void {
    if (source.value.mode === undefined) return;
    const message = 'the mode is said by the document that includes this one';
    this.mistakes.push(at(source, { path: ['mode'], message }));
  }

  #checkEnvironments(sources: readonly Source[], chosen: string | undefined): void {
    const known = Object.assign({}, ...sources.map(({ value }) => value.variables ?? {}));
    for (const source of sources) {
      const problems = environmentProblems(environmentsOf(source), known);
      this.mistakes.push(...problems.map((problem) => at(source, problem)));
    }
    const names = sources.flatMap((source) => Object.keys(environmentsOf(source)));
    if (chosen === undefined || names.includes(chosen)) return;
    const message = `there is no environment ${chosen}${didYouMean(chosen, names)}`;
    this.mistakes.push(at(this.#root, { path: ['environments'], message }));
  }
}

function environmentsOf({ value }: Source): Environments {
  return (value.environments ?? {}) as Environments;
}

/** Whether a document includes another directly, and so may override its variables. */
function includes(source: Source, other: Source): boolean {
  return source.included.includes(other.path);
}

function at(source: Source, problem: Problem): FiledMistake {
  return { ...source.text.mistakeAt(problem), file: source.path };
}
