import { fault, isFault } from '../../kernel/index.ts';
import { type ChangeSource, changeId, patchOf } from '../../lanes/index.ts';
import { findJudgedChange, freshPass, type JudgedChange } from '../../verify/index.ts';
import type { HandlerDeps } from './handler-deps.ts';

interface Source extends ChangeSource {
  readonly base?: string | undefined;
  /** The lane that it builds on. */
  readonly on?: string | undefined;
}

/** Any source of a change as a patch on a version; no patch if nothing is changed. */
export async function resolveChange(
  source: Source,
  { baseline, lanes, changes, place }: HandlerDeps,
): Promise<{ patch: string | undefined; base: string }> {
  const below = source.on === undefined ? undefined : (await lanes.find(source.on)).commit;
  const named = source.base === undefined ? undefined : await changes.trees.resolve(source.base);
  const base = below ?? named ?? (await baseline.version());
  return { base, patch: await patchOf(place.root, base, source) };
}

/** A new change, or one that was judged before. */
export async function judgedOrNew(
  { change, ...source }: Source & { readonly change?: string | undefined },
  deps: HandlerDeps,
): Promise<JudgedChange> {
  const isNew = [source.patch, source.ref, source.worktree, source.base].some(Boolean);
  if (change !== undefined && !isNew) return findJudgedChange(change, deps.ledger);
  const { patch, base } = await resolveChange(source, deps);
  if (change === undefined && patch !== undefined) return { patch, base };
  const reason = 'give one of patch, ref, worktree and change; a base only without change';
  throw fault('CHANGE_INVALID', { reason });
}

/** Whether the working tree, or a commit, is the baseline or has a pass that counts. */
export async function passOf(
  ref: string | undefined,
  deps: HandlerDeps,
): Promise<{ isVerified: boolean; verdict: string | null; why: string | null }> {
  const { baseline, changes, place } = deps;
  const base = await baseline.version();
  const source = ref === undefined ? { worktree: true as const } : { ref };
  const patch = await patchOf(place.root, base, source).catch((error: unknown) => {
    if (isFault(error, 'CHANGE_INVALID') && /is the same as/.test(error.message)) return undefined;
    throw error;
  });
  if (patch === undefined) return { isVerified: true, verdict: null, why: null };
  const pass = await freshPass(changeId({ patch, base }), changes);
  if ('why' in pass) return { isVerified: false, verdict: null, why: pass.why };
  return { isVerified: true, verdict: pass.verdict, why: null };
}
