import type { Identity, JsonObject } from '../../kernel/index.ts';

export interface Message {
  readonly method: string;
  readonly params?: JsonObject;
}

/** One request of a client while it is with an upstream: the way back to that client. */
export interface Exchange {
  readonly caller: Identity;
  /** Whether the client says that it answers such a request. */
  can(request: Message): boolean;
  /** Asks the client's person or model (elicitation, sampling, roots). */
  ask(request: Message, name?: string): Promise<JsonObject>;
  tell(notification: Message): void;
}

/**
 * Whose message it is that an upstream sends on a line which it shares among all. It goes to nobody
 * rather than to the wrong one: one agent's work is not another's to read.
 */
export function addressee(open: Iterable<Exchange>): Exchange | undefined {
  const [first, ...others] = open;
  if (!first || others.some(({ caller }) => caller.actor !== first.caller.actor)) return undefined;
  return first;
}
