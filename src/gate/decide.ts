import type { Proposal } from '../kernel/index.ts';

export type Decision =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'deny'; readonly reason: string; readonly remedy: string };

/**
 * Whether a proposal may be executed. Reads no clock, network or database. People at this machine
 * and Surety itself may use what they offer; an agent may use only what a policy gives it, and
 * without a policy that is nothing.
 */
export function decide(proposal: Proposal): Decision {
  if (!proposal.actor.startsWith('agent:')) return { verdict: 'allow' };
  return {
    verdict: 'deny',
    reason: 'no policy gives it to this agent',
    remedy: 'Ask an operator to do it, or to add a policy for this agent.',
  };
}
