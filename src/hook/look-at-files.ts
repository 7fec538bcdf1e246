import { closeSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { AgentAction } from './action.ts';
import { hookLimits } from './limits.ts';
import { type HookProposal, proposalOf } from './proposals.ts';
import type { CommandPlace } from './shell/analyze.ts';
import { type FileFact, FileFacts } from './shell/file-facts.ts';

/** The proposal of a call, after looking at the files that its command names. */
export function proposalWithFiles(action: AgentAction, place: CommandPlace): HookProposal | null {
  const known = new Map<string, FileFact>();
  for (let round = 1; ; round++) {
    const files = new FileFacts(known);
    const proposal = proposalOf(action, place, files);
    const missing = [...files.wanted].filter((path) => !known.has(path));
    if (missing.length === 0 && !files.isFull) return proposal;
    if (files.isFull || round >= hookLimits.fileRoundsMax) return unseen(proposal);
    for (const path of missing) known.set(path, lookAt(path));
  }
}

/** A file that nobody looked at may be a link or a script: a person has to look. */
function unseen(proposal: HookProposal | null): HookProposal | null {
  if (!proposal) return null;
  const { arguments: given } = proposal;
  const reasons = Array.isArray(given.unresolved) ? given.unresolved : [];
  const unresolved = ['it uses more files than are looked at', ...reasons];
  return { ...proposal, arguments: { ...given, unresolved } };
}

function lookAt(path: string): FileFact {
  const real = realPath(path);
  try {
    const isDirectory = statSync(path).isDirectory();
    return { text: isDirectory ? null : readSmall(path), isDirectory, real };
  } catch {
    return { text: null, isDirectory: false, real };
  }
}

/** A file that does not exist yet is where the nearest directory that exists really is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

/** Only regular files: opening a pipe would wait for its writer. */
function readSmall(path: string): string | null {
  if (!statSync(path).isFile()) return null;
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size > hookLimits.scriptBytesMax) return null;
    const bytes = Buffer.alloc(size);
    return bytes.subarray(0, readSync(file, bytes)).toString('utf8');
  } finally {
    closeSync(file);
  }
}
