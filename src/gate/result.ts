import type { Json, Outcome } from '../kernel/index.ts';
import { checkAmount } from './accounts/index.ts';
import { type ExpressionInput, judgeEach, type RuleFinding, valuesOf } from './decision/index.ts';
import { type EvidenceFact, evidenceFact } from './evidence.ts';
import type { Values } from './expression/index.ts';
import type { Ending } from './settlement.ts';

/** Who knows how it ended: the runtime that executed it, or somebody who says so. */
type SeenBy = 'runtime' | 'executor';

/** What an outcome settles, and whether the contract has something to put right. */
export function endingOf(
  question: ExpressionInput,
  outcome: Outcome,
  seenBy: SeenBy = 'runtime',
): Ending {
  const { contract, isNative } = question;
  if (outcome.status === 'committed') return judgeResult(question, outcome.value, seenBy);
  // Surety's own tools find out by themselves what is there; nothing of them stays reserved.
  const looksAfterItself = isNative && contract?.recovery.steps.length === 0;
  if (!contract || looksAfterItself) {
    return outcome.status === 'failed' ? nothing : { ...nothing, actual: 'as-reserved' };
  }
  const recovers = outcome.status === 'unknown' || contract.recovery.steps.length > 0;
  return recovers ? { ...nothing, actual: 'unsettled', recovers } : nothing;
}

const nothing: Ending = { actual: 'nothing', gathered: [], violations: [], recovers: false };

/** What a result means: its real cost, what it proves, and which promises it breaks. */
function judgeResult(question: ExpressionInput, result: Json, seenBy: SeenBy): Ending {
  const { contract } = question;
  if (!contract) return { actual: 'as-reserved', gathered: [], violations: [], recovers: false };
  const values = { ...valuesOf(question), result };
  const said: RuleFinding[] = [];
  for (const { path, message } of contract.checkResult?.(result) ?? []) {
    const reason = path ? `${path} ${message}` : message;
    said.push({ rule: 'result', verdict: 'deny', reason, remedy: 'Correct the tool.' });
  }
  judgeEach(contract.results, contract.tool, values, said);
  const hard = said.filter(({ verdict }) => verdict === 'deny');
  const violations = hard.map(({ rule, reason }) => `${rule}: ${reason}`);
  const canCompensate = contract.recovery.steps.some(({ kind }) => kind === 'compensate');
  return {
    actual: actualCosts(question, values),
    gathered: violations.length > 0 ? [] : gather(question, values, seenBy),
    violations,
    recovers: violations.length > 0 && canCompensate,
  };
}

/** What cannot be made out costs what was reserved: a broken expression frees no budget. */
function actualCosts({ contract }: ExpressionInput, values: Values): Ending['actual'] {
  const costs = contract?.actualCost ?? [];
  if (costs.length === 0) return 'as-reserved';
  const actual = new Map<string, number>();
  for (const { dimension, amount } of costs) {
    try {
      actual.set(dimension, checkAmount(dimension, amount.evaluate(values)));
    } catch {
      // Left out, and so taken as reserved.
    }
  }
  return actual;
}

/** Evidence is what the runtime saw: a condition that cannot be evaluated shows nothing. */
function gather({ contract }: ExpressionInput, values: Values, seenBy: SeenBy): EvidenceFact[] {
  return (contract?.produces ?? []).flatMap(({ evidence, subject, when, reported }) => {
    // An executor's word counts only where the contract says that it does.
    if (seenBy === 'executor' && !reported) return [];
    try {
      if (when && when.evaluate(values) !== true) return [];
      return [evidenceFact(evidence, String(subject.evaluate(values)), values.result ?? null)];
    } catch {
      return [];
    }
  });
}
