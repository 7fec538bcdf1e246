import type { Outcome } from '../../kernel/index.ts';
import { factsOf } from '../settlement.ts';
import { type Recovery, type RecoveryDeps, recoverer, writeStep } from './open-recovery.ts';

/** Stops automatic recovery, notifies a person and waits for their resolution. */
export async function holdForPerson(
  recovery: Recovery,
  at: number,
  reason: string,
  deps: RecoveryDeps,
): Promise<Outcome> {
  const { proposal, tool } = recovery.row;
  const body = { ...factsOf(recovery.settling), step: at, found: 'held', reason };
  await writeStep(
    deps.ledger,
    recovery,
    at,
    () => ({ kind: 'recovery-stepped', actor: recoverer, body }),
    undefined,
  );
  deps.notify({ event: 'recovery-held', facts: { proposal, tool, reason } });
  return { status: 'unknown', proposal };
}
