import type { Actor } from '../kernel/index.ts';
import type { Baseline } from './baseline.ts';
import { type ChangeDeps, type ChangeRequest, prepareChange } from './change.ts';

export interface PromotionDeps extends ChangeDeps {
  readonly baseline: Baseline;
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
  const { trees, baseline } = deps;
  const { change, tree: content, config, migrates } = await prepareChange(request, deps);
  const commit = await trees.commit(content, request.base, request.message);
  const tree = await trees.open(commit);
  // Before anything runs that needs them; when they fail, nothing was promoted.
  await baseline.migrate(tree, migrates);
  await trees.publish(commit);
  for (const service of change.services) await baseline.swap(service, { tree, config }, actor);
  await baseline.moveTo(tree, actor);
  return { commit, services: change.services };
}
