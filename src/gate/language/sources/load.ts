import { readText } from '../../../document/index.ts';
import { fault, type JsonObject } from '../../../kernel/index.ts';
import { gateLimits } from '../../limits.ts';
import { type CompileOptions, compileDocument } from '../compile/compile.ts';
import type { CompiledPolicy } from '../compile/compiled.ts';
import { MergedSources } from './merge-sources.ts';
import { type FiledMistake, refusal } from './refusal.ts';
import { type SourceOptions, SourceReader } from './sources.ts';
import { keepingProblem } from './whole-document.ts';

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
