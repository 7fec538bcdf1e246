import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import { mcpLimits } from '../../limits.ts';

interface RecentEvent {
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

/** What a session has sent last, for a client that comes back for what it missed. */
export class RecentEvents implements EventStore {
  /** In the order in which they were sent. */
  readonly #events = new Map<string, RecentEvent>();
  #count = 0;
  #bytes = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#count += 1;
    const id = String(this.#count);
    const bytes = JSON.stringify(message).length;
    this.#events.set(id, { stream, message, bytes });
    this.#bytes += bytes;
    // The newest is kept whatever its size: it may be the result that the client comes back for.
    for (const [oldest, event] of this.#events) {
      const { sessionEventsMax, sessionEventBytesMax } = mcpLimits;
      if (oldest === id) break;
      if (this.#events.size <= sessionEventsMax && this.#bytes <= sessionEventBytesMax) break;
      this.#events.delete(oldest);
      this.#bytes -= event.bytes;
    }
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events.get(id)?.stream;
  }

  async replayEventsAfter(
    id: string,
    { send }: { send(id: string, message: JSONRPCMessage): Promise<void> },
  ): Promise<string> {
    const stream = this.#events.get(id)?.stream ?? '';
    for (const [later, event] of this.#events) {
      const isMissed = Number(later) > Number(id) && event.stream === stream;
      if (isMissed && Object.keys(event.message).length > 0) await send(later, event.message);
    }
    return stream;
  }
}
