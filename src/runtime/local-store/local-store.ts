import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeCommand, sha256 } from '../../kernel/index.ts';
import type { LocalStore } from '../../lanes/index.ts';
import type { WorkspacePlace } from '../place.ts';
import type { LocalStoreRequest } from './server-command.ts';

/** The variable by which the program learns what to run: an address may hold a password. */
export const localStoreVariable = 'SURETY_LOCAL_STORE';

/** A line for a shell that runs a store by the programs of this machine. */
export function localStoreCommand(place: WorkspacePlace, { name, kind, urls }: LocalStore): string {
  const program = fileURLToPath(new URL('./main.ts', import.meta.url));
  const request: LocalStoreRequest = { kind, urls, directory: directoryOf(place, name) };
  const words = nodeCommand(program).map(quoted).join(' ');
  return `${localStoreVariable}=${quoted(JSON.stringify(request))} ${words}`;
}

/** The server of root runs as another user, who may not look into a private directory of root. */
function directoryOf({ state, root }: WorkspacePlace, name: string): string {
  if (process.getuid?.() !== 0) return join(state, 'stores', name);
  return join(tmpdir(), `surety-stores-${sha256(root).slice(0, 16)}-${name}`);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
