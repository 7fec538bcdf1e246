import { type Clock, canonicalJson, sha256 } from '../../kernel/index.ts';
import type { VerifyGrantOptions } from '../../verify-grant/index.ts';
import type { KeyRing } from './key-ring.ts';
import type { GrantTerms } from './sign-grant.ts';

/** In the middle of a second, so that a lost millisecond shows. */
export const grantedAt: number = Date.UTC(2026, 0, 1, 12) + 250;

export const refund = { orderId: 'o-7', amount: 1_250 };

export const terms: GrantTerms = {
  workspace: 'shop',
  audience: 'payments',
  actor: 'agent:ada',
  proposal: 'prop_01',
  tool: 'refund.issue',
  argumentsHash: sha256(canonicalJson(refund)),
  grantedAt,
};

/** How the executor `payments` looks at it. */
export function expected(ring: KeyRing, nowMs: number): VerifyGrantOptions {
  return {
    jwks: ring.jwks(),
    audience: 'payments',
    issuer: 'shop',
    tool: 'refund.issue',
    arguments: refund,
    now: () => nowMs,
    skewMs: 0,
    seen: null,
  };
}

export interface TestClock extends Clock {
  ms: number;
}

export function testClock(): TestClock {
  return {
    ms: grantedAt,
    now() {
      return this.ms;
    },
    keepAfter() {},
    aheadMs: () => 0,
  };
}
