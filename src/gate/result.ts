import type { Json, Outcome } from '../kernel/index.ts';
import { checkAmount } from './accounts/index.ts';
import { type ExpressionInput, judgeEach, type RuleFinding, valuesOf } from './decision/index.ts';
import { type EvidenceFact, evidenceFact } from './evidence.ts';
import type { Values } from './expression/index.ts';
import type { Ending } from './settlement.ts';

/** Who observed the end: the runtime that executed the call, or an outside executor. */
type Observer = 'runtime' | 'executor';

/** What an outcome settles, and whether recovery is due. */
export function endingOf(
  question: ExpressionInput,
  outcome: Outcome,
  seenBy: Observer = 'runtime',
): Ending {
  const { contract, isNative } = question;
  const isClaimed = seenBy === 'executor' && contract?.trustsReports !== true;
  const claim = isClaimed ? { isClaimed } : {};
  if (outcome.status === 'committed') {
    return { ...judgeResult(question, outcome.value, seenBy), ...claim };
  }
  // Surety's own tools recover their state themselves, so they keep no reservation.
  const looksAfterItself = isNative && contract?.recovery.steps.length === 0;
  if (!contract || looksAfterItself) {
    const actual = outcome.status === 'failed' ? 'nothing' : 'as-reserved';
    return { ...nothing, actual, ...claim };
  }
  const recovers = outcome.status === 'unknown' || contract.recovery.steps.length > 0;
  return { ...nothing, ...(recovers ? { actual: 'unsettled', recovers } : {}), ...claim };
}

const nothing: Ending = { actual: 'nothing', gathered: [], violations: [], recovers: false };

/** The real cost of a result, its evidence, and the rules that it breaks. */
function judgeResult(question: ExpressionInput, result: Json, seenBy: Observer): Ending {
  const { contract } = question;
  if (!contract) return { ...nothing, actual: ownCost(question, result) };
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

/** One of Surety's own tools knows what it cost. */
function ownCost({ isNative }: ExpressionInput, result: Json): Ending['actual'] {
  const { actualCost } = (isNative ? (result ?? {}) : {}) as {
    actualCost?: Record<string, number>;
  };
  return actualCost === undefined ? 'as-reserved' : new Map(Object.entries(actualCost));
}

/** A cost that cannot be evaluated counts as reserved: a broken expression frees no budget. */
function actualCosts(question: ExpressionInput, values: Values): Ending['actual'] {
  const costs = question.contract?.actualCost ?? [];
  if (costs.length === 0) return ownCost(question, values.result ?? null);
  const actual = new Map<string, number>();
  for (const { dimension, amount } of costs) {
    try {
      actual.set(dimension, checkAmount(dimension, amount.evaluate(values)));
    } catch {
      // Left out, so the reserved amount counts.
    }
  }
  return actual;
}

/** Collects evidence. A condition that cannot be evaluated gives none. */
function gather({ contract }: ExpressionInput, values: Values, seenBy: Observer): EvidenceFact[] {
  return (contract?.produces ?? []).flatMap(({ evidence, subject, when, reported }) => {
    // The report of an executor counts only if the contract says so.
    if (seenBy === 'executor' && !reported) return [];
    try {
      if (when && when.evaluate(values) !== true) return [];
      return [evidenceFact(evidence, String(subject.evaluate(values)), values.result ?? null)];
    } catch {
      return [];
    }
  });
}
