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
    const promotion = await findPromotion(running, deps.ledger);
    if (!promotion) throw fault('NOTHING_TO_ROLL_BACK', { version: running.slice(0, 12) });
    await returnPromotion(actor, promotion, reason, deps);
    const { commit, base, services } = promotion;
    return { commit, base, services: [...services] };
  });
}

/** The promotion that made this version and was not returned since. */
async function findPromotion(
  version: string,
  ledger: Ledger,
): Promise<ReturnedPromotion | undefined> {
  const made: { commit: string; base: string; services: Set<string> }[] = [];
  for (const { kind, version: commit, previous: base, service } of await readDeployments(ledger)) {
    if (kind !== 'promotion') continue;
    const last = made.at(-1);
    const isReturn = last?.base === commit && last.commit === base;
    if (isReturn) last.services.delete(service);
    else if (last?.commit === commit && last.base === base) last.services.add(service);
    else made.push({ commit, base, services: new Set([service]) });
    if (last?.services.size === 0) made.pop();
  }
  const found = made.at(-1);
  if (found?.commit !== version || found.base === '') return undefined;
  return { ...found, services: [...found.services], task: null };
}
