import { setTimeout as delay } from 'node:timers/promises';
import {
  fault,
  isFault,
  type Json,
  type JsonObject,
  type Outcome,
  toFault,
} from '../kernel/index.ts';
import type { Draft, Ledger } from '../ledger/index.ts';
import { type ProposalRow, proposalKey } from './proposals.ts';

/** What an outcome settles: a proposal of an actor, granted to an executor. */
export interface Granted {
  readonly actor: Draft['actor'];
  readonly subject: string;
  readonly facts: { readonly proposal: string; readonly executor: string } & JsonObject;
}

/**
 * Records how a proposal ended, and only then tells. While the ledger's store is away or full the
 * caller hears that the proposal is still in flight, and the outcome is recorded when it is back.
 */
export async function settle<Value extends Json>(
  ledger: Ledger,
  granted: Granted,
  outcome: Outcome<Value>,
): Promise<Outcome<Value>> {
  const { proposal } = granted.facts;
  const draft = outcomeDraft(granted, outcome);
  try {
    await ledger.append(draft);
    return outcome;
  } catch (error) {
    if (!toFault(error).retryable) throw error;
    void settleLater(ledger, proposal, draft);
    throw fault('PROPOSAL_IN_FLIGHT', { proposal }, error);
  }
}

/** For a grant of which nobody knows yet whether it was written: nobody will execute it. */
export function abandon(ledger: Ledger, granted: Granted): void {
  const { proposal } = granted.facts;
  const reason = 'the store went away while it was being granted';
  const failed = {
    status: 'failed',
    proposal,
    fault: fault('PROPOSAL_FAILED', { proposal, reason }),
  } as const;
  void settleLater(ledger, proposal, outcomeDraft(granted, failed));
}

const waitMsMin = 250;
const waitMsMax = 5_000;

/** Until it is recorded, or the ledger closes: then the next start finds the proposal open. */
async function settleLater(ledger: Ledger, proposal: string, draft: Draft): Promise<void> {
  for (let waitMs = waitMsMin; ; waitMs = Math.min(2 * waitMs, waitMsMax)) {
    await delay(waitMs, undefined, { ref: false });
    try {
      await settleOnce(ledger, proposal, draft);
      return;
    } catch (error) {
      if (isFault(error, 'LEDGER_CLOSED') || !toFault(error).retryable) return;
    }
  }
}

/** A commit that was in doubt may have taken place after all. */
function settleOnce(ledger: Ledger, proposal: string, draft: Draft): Promise<void> {
  const key = proposalKey(proposal);
  return ledger.transact({
    keys: [key],
    decide: (rows) => {
      const isOpen = rows.get<ProposalRow>(key)?.status === 'granted';
      return { drafts: isOpen ? [draft] : [], result: () => undefined };
    },
  });
}

function outcomeDraft({ actor, subject, facts }: Granted, outcome: Outcome): Draft {
  const kind = `proposal-${outcome.status}`;
  if (outcome.status === 'unknown') return { kind, actor, body: facts };
  if (outcome.status === 'failed') {
    return { kind, actor, body: { ...facts, fault: outcome.fault.report() } };
  }
  const contents = [{ name: 'value', subject, value: outcome.value }];
  return { kind, actor, body: facts, contents };
}
