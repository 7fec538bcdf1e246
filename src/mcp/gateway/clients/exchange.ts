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
  /** Ends the stream to the client: it comes back for the rest, where its revision knows that. */
  pause(): void;
}

/**
 * Whose message it is that a server sends on a line which all requests share. It goes to nobody
 * rather than to the wrong one.
 */
export function onlyExchange(open: ReadonlySet<ClientExchange>): ClientExchange | undefined {
  const [only] = open;
  return open.size === 1 ? only : undefined;
}

/** Told to a server, so that its answer can say why it asked in vain. */
export function unaskable(method: string, calls: number): ProtocolError {
  const { InvalidRequest } = ProtocolErrorCode;
  if (calls === 0) {
    const idle = `${method} refused: no call is under way whose client could be asked.`;
    return new ProtocolError(InvalidRequest, idle);
  }
  const several =
    `${method} refused: ${calls} calls are under way at this server, and it does not say which of ` +
    'them asks. Call again when no other call is under way.';
  return new ProtocolError(InvalidRequest, several);
}
