import type { Identity, JsonObject } from '../../../kernel/index.ts';
import type { InputQuestion } from './conversations.ts';
import type { ClientExchange } from './exchange.ts';
import type { OwnSessions } from './own-sessions.ts';

/** What a connection of the older revision remembers between its requests. */
export interface Memory {
  level?: string;
  /** Its sessions with servers; a client of the newest revision has none. */
  readonly own?: OwnSessions;
  readonly subscriptions: Map<string, () => Promise<void>>;
}

/** A request of a client, with everything that its handler needs. */
export interface ClientRequest {
  readonly caller: Identity;
  readonly params: JsonObject;
  readonly gone: AbortSignal;
  readonly memory: Memory;
  /** Answers that came along with the request itself, before anybody has asked. */
  readonly inputResponses: JsonObject | undefined;
  readonly onProgress: ((progress: JsonObject) => void) | undefined;
  /** The client's own `_meta`, and for servers that want it what the client can do. */
  meta(isModern: boolean): JsonObject;
  exchange(ask: InputQuestion): ClientExchange;
}
