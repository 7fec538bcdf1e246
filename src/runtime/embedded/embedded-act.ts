import type { Json, Outcome, Proposal } from '../../kernel/index.ts';

/** What somebody in this program wants; who that is, the gate was told when it was opened. */
export type EmbeddedProposal = Omit<Proposal, 'actor' | 'facts'>;

/** What the function of a granted call is told. */
export interface CallGrant {
  readonly proposal: string;
  readonly argumentsHash: string;
  /** The idempotency key to hand on: the same for every attempt of the same action. */
  readonly key?: string;
  /** Slots and locks that it holds; whoever writes under them shows the fence. */
  readonly leases: readonly { readonly resource: string; readonly fence: number }[];
  /** Aborts when the time of the call is over. */
  readonly signal: AbortSignal;
}

/** Grant, execute, settle. A proposal that is not granted is thrown as a fault, and nothing ran. */
export type EmbeddedAct = <Value extends Json>(
  proposal: EmbeddedProposal,
  run: (grant: CallGrant) => Promise<Value>,
) => Promise<Outcome<Value>>;
