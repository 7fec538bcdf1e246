import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type CompiledPolicy,
  compilePolicy,
  loadPolicy,
  type PolicySource,
  policyFiles,
} from '../../gate/index.ts';
import { fault, isFault, type JsonObject } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import type { WorkspacePlace } from '../place.ts';
import { natives } from '../tools/natives.ts';

/** Where the packs that come with Surety are. */
export const packs: string = fileURLToPath(new URL('../../../packs/', import.meta.url));

/** The policy of a workspace: its document, and the agents in surety.yaml. */
export function readPolicy(place: WorkspacePlace, config: Config): CompiledPolicy {
  const { policy, agents } = config;
  if (policy === undefined) return compilePolicy({ version: 1, agents }, { natives });
  return loadPolicyFile(resolve(place.root, policy), config);
}

/** Loads any document with the settings of the workspace. */
export function loadPolicyFile(path: string, { agents, environment }: Config): CompiledPolicy {
  const named = environment === undefined ? {} : { name: environment };
  const loaded = loadPolicy(path, { natives, packs, ...named });
  const declared = (loaded.document.agents ?? {}) as Record<string, object>;
  const missing = Object.entries(agents).filter(([name]) => !Object.hasOwn(declared, name));
  if (missing.length === 0) return loaded;
  const all = { ...Object.fromEntries(missing), ...declared };
  return compilePolicy({ ...loaded.document, agents: all } as JsonObject, { natives });
}

/** The given document, or else that of the workspace. */
export function policyPath(
  place: WorkspacePlace,
  { policy }: Config,
  named: string | undefined,
): string {
  if (named !== undefined) return resolve(named);
  if (policy !== undefined) return resolve(place.root, policy);
  throw fault('POLICY_NOT_NAMED', { directory: place.root });
}

/** The files of a policy with the tools that each declares, without packs. */
export function ownPolicyFiles(path: string): PolicySource[] {
  return policyFiles(path, { packs }).filter((source) => !source.path.startsWith(packs));
}

/** The same, but a missing or invalid file is no error. */
function watchedFiles(path: string): string[] {
  try {
    return [...new Set([path, ...ownPolicyFiles(path).map((source) => source.path)])];
  } catch (error) {
    if (isFault(error, 'POLICY_UNREADABLE')) return [path];
    throw error;
  }
}

/** The document of the workspace and all included files; empty without a policy. */
export function workspacePolicyFiles(place: WorkspacePlace, { policy }: Config): string[] {
  return policy === undefined ? [] : watchedFiles(resolve(place.root, policy));
}
