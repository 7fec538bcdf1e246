import type { Instant } from './clock.ts';
import { type Fault, fault } from './fault.ts';
import type { Identifier } from './identifier.ts';
import type { Json, JsonObject } from './json/json.ts';
import type { Lease } from './lease.ts';

/** Who wants something: `agent:coder`, `person:root`, `surety:daemon`. */
export type Actor = `${'agent' | 'person' | 'surety'}:${string}`;

/** One action that somebody wants: a tool with its arguments, under an idempotency key. */
export interface Proposal {
  readonly actor: Actor;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Whom arguments and value are about, if anybody: they are shredded with that subject. */
  readonly subject?: string | undefined;
  /** The task that it belongs to. */
  readonly task?: string | undefined;
  /** What a decision may look at besides actor and tool; stays on the chain, so nothing secret. */
  readonly facts?: JsonObject | undefined;
  /** The same key with the same arguments gives the recorded outcome instead of a second effect. */
  readonly key?: string | undefined;
  /** What the caller says it used, by dimension. Its word: it may only add to what is charged. */
  readonly reported?: Readonly<Record<string, number>> | undefined;
  /** How long the caller waits for the same proposal in flight, or for a person's approval. */
  readonly waitMs?: number | undefined;
}

/** The permission that `run` gets: it exists durably before `run` is called. */
export interface Grant {
  readonly proposal: Identifier<'prop'>;
  readonly argumentsHash: string;
  readonly grantedAt: Instant;
  /** Slots and locks that it holds; whoever writes under them shows the fence. */
  readonly leases: readonly Lease[];
  /** The idempotency key: the caller's, or the one that the contract makes. */
  readonly key?: string;
  /** Aborts when the time of the call is over. */
  readonly signal: AbortSignal;
}

/** How a call ended, and what the agent should know besides: warnings and constraints. */
export type Outcome<Value extends Json = Json> = (
  | { readonly status: 'committed'; readonly proposal: string; readonly value: Value }
  | { readonly status: 'failed'; readonly proposal: string; readonly fault: Fault }
  | { readonly status: 'unknown'; readonly proposal: string }
) & { readonly notices?: readonly string[] };

/**
 * The only way to have an effect. Whoever needs one receives `act` as a dependency; the gate
 * implements it. A proposal that is not granted is thrown as a fault, and `run` was not called.
 */
export type Act = <Value extends Json>(
  proposal: Proposal,
  run: (grant: Grant) => Promise<Value>,
) => Promise<Outcome<Value>>;

/** The value of what was committed; otherwise the fault that says why there is none. */
export function committedValue<Value extends Json>(outcome: Outcome<Value>): Value {
  if (outcome.status === 'committed') return outcome.value;
  if (outcome.status === 'failed') throw outcome.fault;
  throw fault('PROPOSAL_UNKNOWN', { proposal: outcome.proposal });
}
