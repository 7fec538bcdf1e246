import { canonicalJson, type Json, type JsonObject } from '../kernel/index.ts';
import {
  type Entry,
  MemoryRows,
  type Projections,
  readEntry,
  type StoreReader,
} from '../ledger/index.ts';
import { readInputs } from './admission.ts';
import { decide } from './decide.ts';

export interface ReplayDifference {
  readonly seq: number;
  readonly recorded: string;
  readonly now: string;
}

export interface Replay {
  readonly decisions: number;
  readonly differences: readonly ReplayDifference[];
}

const differencesShown = 20;

/**
 * Makes every recorded decision again, from the rows that the chain gives at that place. A
 * difference means that the decision used something that is not in the ledger, or that the rules
 * of today are not those of then.
 */
export async function replayDecisions(
  source: StoreReader,
  projections: Projections,
): Promise<Replay> {
  const rows = new MemoryRows();
  const differences: ReplayDifference[] = [];
  let decisions = 0;
  for await (const page of source.scanEntries(0)) {
    for (const stored of page) {
      const entry = readEntry(stored);
      if (entry.kind === 'proposal-granted' || entry.kind === 'proposal-denied') {
        decisions++;
        const difference = compare(entry, rows);
        if (difference) differences.push(difference);
      }
      projections.apply(rows, entry);
    }
  }
  return { decisions, differences: differences.slice(0, differencesShown) };
}

function compare({ seq, kind, actor, body }: Entry, rows: MemoryRows): ReplayDifference | null {
  const task = body.about === undefined ? undefined : String(body.about);
  const inputs = readInputs(rows, task);
  const decision = decide(
    { actor, tool: String(body.tool), facts: body.facts as JsonObject },
    inputs,
  );
  const { inputs: given, reason = null, rule = null } = body;
  const recorded = {
    verdict: kind === 'proposal-granted' ? 'allow' : 'deny',
    rule,
    reason,
    inputs: given,
  };
  const denial = decision.verdict === 'deny' ? decision : { rule: null, reason: null };
  const now = {
    verdict: decision.verdict,
    rule: denial.rule,
    reason: denial.reason,
    inputs: { policy: inputs.policy?.hash ?? null, task: inputs.task },
  };
  const [was, is] = [canonicalJson(recorded as Json), canonicalJson(now)];
  return was === is ? null : { seq, recorded: was, now: is };
}
