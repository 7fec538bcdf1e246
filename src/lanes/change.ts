import { fault, isFault, limits, type MakeIdentifier, sha256 } from '../kernel/index.ts';
import { type Config, servicesOf } from '../system/index.ts';
import { git } from './git.ts';
import type { Tree, Trees } from './trees.ts';

/** A patch on a known version, with the services it touches. Its id names exactly these bytes. */
export type Change = {
  readonly change: string;
  readonly base: string;
  readonly files: readonly string[];
  readonly services: readonly string[];
};

export interface ChangeRequest {
  readonly patch: string;
  readonly base: string;
}

/** The same patch on another base is another change: what was proven of one is not of the other. */
export function changeId({ patch, base }: ChangeRequest): string {
  return `chg_${sha256(`${base}\n${patch}`).slice(0, 32)}`;
}

/**
 * Checks a patch out of harm's way and applies it, all or nothing, in a tree of its own under
 * `name`. When it can't be taken, nothing is left of it.
 */
export async function applyChange(
  request: ChangeRequest,
  { trees, config, name }: { trees: Trees; config: Config; name: string },
): Promise<{ change: Change; tree: Tree }> {
  checkSize(request.patch);
  const tree = await trees.open(request.base, name);
  try {
    const files = await patchedFiles(tree, request);
    await apply(tree, request);
    await refuseLinks(tree);
    const services = servicesOf(config, await relativeToSystem(tree, files));
    if (services.length === 0)
      throw fault('CHANGE_TOUCHES_NO_SERVICE', { files: files.join(', ') });
    return { change: { change: changeId(request), base: request.base, files, services }, tree };
  } catch (error) {
    await trees.remove(name);
    throw error;
  }
}

/** Whether a change can be taken, without leaving anything behind. */
export async function checkChange(
  request: ChangeRequest,
  deps: { trees: Trees; config: Config; makeIdentifier: MakeIdentifier },
): Promise<Change> {
  const name = deps.makeIdentifier('check');
  const { change } = await applyChange(request, { ...deps, name });
  await deps.trees.remove(name);
  return change;
}

function checkSize(patch: string): void {
  const bytes = Buffer.byteLength(patch);
  if (bytes > 0 && bytes <= limits.patchBytesMax) return;
  const reason = `it has ${bytes} bytes; 1 to ${limits.patchBytesMax} are taken`;
  throw fault('CHANGE_INVALID', { reason });
}

/** git itself reads the names, so that we can't be told others than it will write to. */
async function patchedFiles({ top }: Tree, { patch }: ChangeRequest): Promise<string[]> {
  const listing = await git(top, ['apply', '--numstat', '-z', '-'], patch).catch((error) => {
    throw fault('CHANGE_INVALID', { reason: reasonOf(error) }, error);
  });
  const files = listing.split('\0').flatMap((line) => line.split('\t')[2] ?? []);
  if (files.length === 0) throw fault('CHANGE_INVALID', { reason: 'it changes no file' });
  return files;
}

/** git refuses paths that leave the tree or lead through a link, and applies all or nothing. */
async function apply({ top }: Tree, { patch, base }: ChangeRequest): Promise<void> {
  await git(top, ['apply', '--index', '--whitespace=nowarn', '-'], patch).catch((error) => {
    throw fault(
      'CHANGE_DOES_NOT_APPLY',
      { base: base.slice(0, 12), reason: reasonOf(error) },
      error,
    );
  });
}

/** A link could lead a service, or the next patch, out of its tree. */
async function refuseLinks({ top }: Tree): Promise<void> {
  const changed = await git(top, ['diff', '--cached', '--raw', '--no-renames', '-z', 'HEAD']);
  const links = changed.split('\0').filter((line) => /^:\d+ 120000 /.test(line));
  if (links.length > 0) throw fault('CHANGE_INVALID', { reason: 'it makes a symbolic link' });
}

async function relativeToSystem({ top, root }: Tree, files: readonly string[]): Promise<string[]> {
  const within = root === top ? '' : `${root.slice(top.length + 1)}/`;
  return files.filter((file) => file.startsWith(within)).map((file) => file.slice(within.length));
}

function reasonOf(error: unknown): string {
  return isFault(error, 'GIT_FAILED') ? String(error.values.reason) : String(error);
}
