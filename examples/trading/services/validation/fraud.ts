import type { ValidationRequest } from './classify.ts';

export type FraudReason = 'blocked-counterparty' | 'velocity';

/** Gives the reasons against a high-value trade; none means that it may settle. */
export type FraudScreen = (request: ValidationRequest) => FraudReason[];

export interface FraudRules {
  blockedCounterparties: ReadonlySet<string>;
  /** So many high-value trades one counterparty may make within a minute. */
  tradesPerMinuteMax: number;
}

export const DEFAULT_RULES: FraudRules = {
  blockedCounterparties: new Set(['SHELL-CO-13', 'NIGHTFALL-LTD']),
  tradesPerMinuteMax: 6_000,
};

const MINUTE_MS = 60_000;

export function createFraudScreen(rules: FraudRules, now: () => number = Date.now): FraudScreen {
  const recent = new Map<string, number[]>();
  return ({ counterparty }) => {
    const since = now() - MINUTE_MS;
    forgetBefore(since, recent);
    const times = [...(recent.get(counterparty) ?? []), now()];
    recent.set(counterparty, times);
    const reasons: FraudReason[] = [];
    if (rules.blockedCounterparties.has(counterparty)) reasons.push('blocked-counterparty');
    if (times.length > rules.tradesPerMinuteMax) reasons.push('velocity');
    return reasons;
  };
}

function forgetBefore(since: number, recent: Map<string, number[]>): void {
  for (const [counterparty, times] of recent) {
    const kept = times.filter((time) => time > since);
    if (kept.length > 0) recent.set(counterparty, kept);
    else recent.delete(counterparty);
  }
}
