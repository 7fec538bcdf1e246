import type { Json } from '../../kernel/index.ts';
import type { Entry } from '../../ledger/index.ts';

/** One step as the letters of a row show it. */
export type StepMark = '.' | 's' | 'h' | 'H';

/**
 * Rules that say "not now" or "not without a person", which is no violation of a contract. A task
 * that moved on, a used-up budget and a missing proof are part of normal work.
 */
const notViolations =
  /^(?:stop|approval|concurrency|reads|expression|key)$|^(?:drift|loop)\.|^(?:budget|evidence)\/|^task\.(?:closed|phase|change|base|children|needed)$/;

export const isViolation = (rule: string): boolean => !notViolations.test(rule);

const driftRefusals = new Set(['drift.pause', 'drift.read-only']);

/** Whether only the reaction to drift refused it, which says nothing about compliance. */
export function isRefusedForDrift({ kind, body }: Entry): boolean {
  if (kind !== 'proposal-denied') return false;
  const rules = rulesOf(body.rules);
  return rules.some((rule) => driftRefusals.has(rule)) && !rules.some(isViolation);
}

export function rulesOf(rules: Json | undefined): readonly string[] {
  return Array.isArray(rules) ? rules.map(String) : [];
}

/** How a decided proposal counts. Warnings of granted calls come from soft rules. */
export function markOf({ kind, body }: Entry): StepMark {
  const rules = body.rules === undefined ? [] : rulesOf(body.rules).filter(isViolation);
  if (rules.length === 0) return '.';
  if (kind === 'proposal-denied') return 'h';
  if (kind === 'proposal-held') return '.';
  return body.wouldBe === 'deny' ? 'H' : 's';
}
