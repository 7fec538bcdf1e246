import { type Actor, fault } from '../../kernel/index.ts';
import type { Promotion } from '../api-schema.ts';
import type { Baseline } from '../baseline/baseline.ts';
import { type ChangeDeps, type ChangeRequest, prepareLasting } from '../change/change.ts';
import type { SerialQueue } from '../lane/serial-queue.ts';
import { takeOver } from './take-over.ts';

export interface PromotionDeps extends ChangeDeps {
  readonly baseline: Baseline;
  /** One promotion at a time: each is made for the version that the one before leaves. */
  readonly promoting: SerialQueue;
}

/** Makes a change a version of the system, and has its services taken over by that version. */
export function promoteChange(
  actor: Actor,
  request: ChangeRequest & { readonly message: string },
  deps: PromotionDeps,
): Promise<Promotion> {
  return deps.promoting.run(() => promote(actor, request, deps));
}

async function promote(
  actor: Actor,
  request: ChangeRequest & { readonly message: string },
  deps: PromotionDeps,
): Promise<Promotion> {
  const { trees, baseline } = deps;
  const { change, tree: content, config, migrates } = await prepareLasting(request, deps);
  const commit = await trees.commit(content, request.base, request.message);
  await checkBase(request.base, commit, baseline);
  const tree = await trees.open(commit);
  // Before anything runs that needs them; when they fail, nothing was promoted.
  await baseline.migrate(tree, migrates);
  const { services } = change;
  await takeOver({ services, from: request.base, to: { tree, config } }, actor, deps);
  // Only now: what people find in the branch is what runs.
  const branch = await trees.publish(commit);
  await baseline.moveTo(tree, actor);
  return { commit, branch, services };
}

/** What runs by now may hold what others promoted: it would be gone with this version. */
async function checkBase(base: string, commit: string, baseline: Baseline): Promise<void> {
  const running = await baseline.version();
  // The commit itself runs when an earlier promotion crashed before it was recorded.
  if (running === base || running === commit) return;
  throw fault('BASE_MOVED', { base: base.slice(0, 12), running });
}
