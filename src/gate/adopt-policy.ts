import { type Actor, canonicalJson, sha256 } from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { type Policy, type PolicyRow, policyKey } from './policy.ts';

function policyHash(policy: Policy): string {
  return sha256(canonicalJson(policy));
}

/** Puts the policy on the chain when it is not the one in force: every decision can name it. */
export async function adoptPolicy(ledger: Ledger, policy: Policy, actor: Actor): Promise<void> {
  const hash = policyHash(policy);
  await ledger.transact({
    keys: [policyKey],
    decide: (rows) => {
      const known = rows.get<PolicyRow>(policyKey);
      const drafts =
        known?.hash === hash ? [] : [{ kind: 'policy-adopted', actor, body: { hash, ...policy } }];
      return { drafts, result: () => undefined };
    },
  });
}
