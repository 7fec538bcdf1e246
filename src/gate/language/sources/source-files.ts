import { isJsonObject, type Json } from '../../../kernel/index.ts';
import { readPolicyText } from './load.ts';
import { type SourceOptions, SourceReader } from './sources.ts';

/** One file of a policy, and the tools whose contracts it contains. */
export interface PolicySource {
  readonly path: string;
  readonly tools: readonly string[];
  /** The tools with their own mode. */
  readonly toolModes: readonly string[];
}

/** The files of a policy, the main one last. Ignores mistakes and skips unreadable files. */
export function policyFiles(path: string, options: SourceOptions = {}): PolicySource[] {
  const reader = new SourceReader(options);
  reader.read(path, readPolicyText(path));
  return reader.sources.map((source) => {
    const tools = entriesOf(source.value.tools);
    const own = tools.filter(([, contract]) => isJsonObject(contract) && contract.mode);
    return { path: source.path, tools: tools.map(nameOf), toolModes: own.map(nameOf) };
  });
}

const nameOf = ([name]: [string, Json]): string => name;

function entriesOf(value: Json | undefined): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
