import { isJsonObject, type Json } from '../../../kernel/index.ts';
import { readPolicyText } from './load.ts';
import { type SourceOptions, SourceReader } from './sources.ts';

/** One file of a policy, with the tools and roles that it declares. */
export interface PolicySource {
  readonly path: string;
  readonly tools: readonly string[];
  readonly roles: readonly string[];
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
    const roles = entriesOf(source.value.roles).map(nameOf);
    return { path: source.path, tools: tools.map(nameOf), roles, toolModes: own.map(nameOf) };
  });
}

const nameOf = ([name]: [string, Json]): string => name;

function entriesOf(value: Json | undefined): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
