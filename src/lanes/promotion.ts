import type { Actor, MakeIdentifier } from '../kernel/index.ts';
import type { Config } from '../system/index.ts';
import type { Baseline } from './baseline.ts';
import { applyChange, type Change, type ChangeRequest } from './change.ts';
import type { Trees } from './trees.ts';

export interface PromotionDeps {
  readonly baseline: Baseline;
  readonly trees: Trees;
  readonly config: Config;
  readonly makeIdentifier: MakeIdentifier;
}

export type Promotion = {
  readonly commit: string;
  readonly services: readonly string[];
};

/** Makes a change a version of the system, and has its services taken over by that version. */
export async function promoteChange(
  actor: Actor,
  request: ChangeRequest & { readonly message: string },
  deps: PromotionDeps,
): Promise<Promotion> {
  const { commit, change } = await commitChange(request, deps);
  const tree = await deps.trees.open(commit);
  for (const service of change.services) await deps.baseline.swap(service, tree, actor);
  await deps.baseline.moveTo(tree, actor);
  return { commit, services: change.services };
}

async function commitChange(
  request: ChangeRequest & { readonly message: string },
  { trees, config, makeIdentifier }: PromotionDeps,
): Promise<{ commit: string; change: Change }> {
  const name = makeIdentifier('promotion');
  const { change, tree } = await applyChange(request, { trees, config, name });
  try {
    return { commit: await trees.commit(tree, request.message), change };
  } finally {
    await trees.remove(name);
  }
}
