import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { Identity, JsonObject } from '../../../kernel/index.ts';

export interface ProtocolMessage {
  readonly method: string;
  readonly params?: JsonObject;
}

/** One request of a client while it is with an upstream: the way back to that client. */
export interface ClientExchange {
  readonly caller: Identity;
  /** Whether the client says that it answers such a request. */
  can(request: ProtocolMessage): boolean;
  /** Asks the client's person or model (elicitation, sampling, roots). */
  ask(request: ProtocolMessage, name?: string): Promise<JsonObject>;
  tell(notification: ProtocolMessage): void;
}

/**
 * Whose message it is that an upstream sends on a line which it shares among all. It goes to nobody
 * rather than to the wrong one: one agent's work is not another's to read.
 */
export function addressee(open: Iterable<ClientExchange>): ClientExchange | undefined {
  const [first, ...others] = open;
  if (!first || others.some(({ caller }) => caller.actor !== first.caller.actor)) return undefined;
  return first;
}

/** Told to a server, so that its answer can say why it asked in vain. */
export function unaskable(method: string, calls: number): ProtocolError {
  const { InvalidRequest } = ProtocolErrorCode;
  if (calls === 0) {
    const idle = `${method} refused: no call is under way whose client could be asked.`;
    return new ProtocolError(InvalidRequest, idle);
  }
  const several =
    `${method} refused: calls of several agents are under way at this server, and this revision ` +
    'of the protocol does not say which of them asks. Call again when no other agent does.';
  return new ProtocolError(InvalidRequest, several);
}
