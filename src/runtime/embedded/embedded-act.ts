import type { Json, Outcome, Proposal } from '../../kernel/index.ts';

/** A proposal of this program; its agent was named when the gate was opened. */
export type EmbeddedProposal = Omit<Proposal, 'actor' | 'facts'>;

/** What the function of a granted call receives. */
export interface CallGrant {
  readonly proposal: string;
  readonly argumentsHash: string;
  /** The idempotency key to pass on: the same for every attempt of the same action. */
  readonly key?: string;
  /** The slots and locks that the call holds; writes under them carry the fence. */
  readonly leases: readonly { readonly resource: string; readonly fence: number }[];
  /** Aborts when the time of the call is over. */
  readonly signal: AbortSignal;
}

/** Grant, execute, settle. A proposal that is not granted throws a fault, and nothing runs. */
export type EmbeddedAct = <Value extends Json>(
  proposal: EmbeddedProposal,
  run: (grant: CallGrant) => Promise<Value>,
) => Promise<Outcome<Value>>;
