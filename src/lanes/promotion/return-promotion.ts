import { type Act, type Actor, committedValue, fault } from '../../kernel/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import type { Rollback } from '../api-schema.ts';
import type { Baseline } from '../baseline/baseline.ts';
import { readDeployments } from '../baseline/deployments.ts';
import type { Trees } from '../change/trees.ts';
import type { SerialQueue } from '../lane/serial-queue.ts';
import { takeOver } from './take-over.ts';

export interface ReturnDeps {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly baseline: Baseline;
  readonly trees: Trees;
  readonly configAt: (commit: string) => Promise<Config>;
  readonly promoting: SerialQueue;
}

/** A promotion: the version that it made, and the one before. */
export interface ReturnedPromotion {
  readonly commit: string;
  readonly base: string;
  readonly services: readonly string[];
  readonly task: string | null;
}

/** The version before takes over as the new one did; migrations of data stay. */
export async function returnPromotion(
  actor: Actor,
  { commit, base, services, task }: ReturnedPromotion,
  reason: string,
  deps: ReturnDeps,
): Promise<void> {
  const { act, baseline, trees, configAt, ledger } = deps;
  const facts = { commit, base };
  const proposal = { actor, tool: 'change.return', facts, arguments: { commit, reason } };
  const outcome = await act(proposal, async () => {
    const tree = await trees.open(base);
    const to = { tree, config: await configAt(base) };
    await takeOver({ services, from: commit, to }, actor, deps);
    await trees.publish(base);
    await baseline.moveTo(tree, actor);
    const body = { commit, base, services: [...services], task, reason };
    await ledger.append({ kind: 'promotion-returned', actor, body });
    return { commit, base };
  });
  committedValue(outcome);
}

/** Returns the promotion that runs, on the authority of a person, also after its watch. */
export function rollBack(actor: Actor, reason: string, deps: ReturnDeps): Promise<Rollback> {
  return deps.promoting.run(async () => {
    const running = await deps.baseline.version();
    const promotion = await findPromotion(running, deps);
    if (!promotion) throw fault('NOTHING_TO_ROLL_BACK', { version: running.slice(0, 12) });
    await returnPromotion(actor, promotion, reason, deps);
    const { commit, base, services } = promotion;
    return { commit, base, services: [...services] };
  });
}

/** The promotion that made this version. Git tells it from a return to the version. */
async function findPromotion(
  version: string,
  { ledger, trees }: Pick<ReturnDeps, 'ledger' | 'trees'>,
): Promise<ReturnedPromotion | undefined> {
  const all = (await readDeployments(ledger)).filter(
    (one) => one.kind === 'promotion' && one.version === version && one.previous !== '',
  );
  for (const base of new Set(all.map(({ previous }) => previous))) {
    if (!(await trees.isAncestor(base, version))) continue;
    const made = all.filter(({ previous }) => previous === base);
    const services = [...new Set(made.map(({ service }) => service))];
    return { commit: version, base, services, task: null };
  }
  return undefined;
}
