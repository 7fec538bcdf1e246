import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import { mcpLimits } from '../../limits.ts';

interface RecentEvent {
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
  readonly sentAt: number;
  forget(): void;
}

/** What all sessions of one agent keep together. */
export class EventBudget {
  /** In the order in which they were sent. */
  readonly #events = new Set<RecentEvent>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  add(event: RecentEvent): void {
    this.#events.add(event);
    this.#bytes += event.bytes;
    this.#trim();
  }

  delete(event: RecentEvent): void {
    if (this.#events.delete(event)) this.#bytes -= event.bytes;
  }

  #trim(): void {
    const { agentEventBytesMax, agentEventMsMax } = mcpLimits;
    for (const event of this.#events) {
      const leftMs = event.sentAt + agentEventMsMax - performance.now();
      if (leftMs <= 0 || this.#bytes > agentEventBytesMax) {
        event.forget();
        continue;
      }
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#trim();
      }, leftMs).unref();
      return;
    }
  }
}

/** What a session has sent last, for a client that comes back for what it missed. */
export class RecentEvents implements EventStore {
  readonly #budget: EventBudget;
  /** In the order in which they were sent. */
  readonly #events = new Map<string, RecentEvent>();
  #count = 0;
  #bytes = 0;

  constructor(budget = new EventBudget()) {
    this.#budget = budget;
  }

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#count += 1;
    const id = String(this.#count);
    const bytes = JSON.stringify(message).length;
    const sentAt = performance.now();
    const event = { stream, message, bytes, sentAt, forget: () => this.#forget(id) };
    this.#events.set(id, event);
    this.#bytes += bytes;
    // The newest is kept whatever its size: it may be the result that the client comes back for.
    for (const oldest of this.#events.keys()) {
      const { sessionEventsMax, sessionEventBytesMax } = mcpLimits;
      if (oldest === id) break;
      if (this.#events.size <= sessionEventsMax && this.#bytes <= sessionEventBytesMax) break;
      this.#forget(oldest);
    }
    this.#budget.add(event);
    return id;
  }

  /** When the session ends. */
  clear(): void {
    for (const id of this.#events.keys()) this.#forget(id);
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

  #forget(id: string): void {
    const event = this.#events.get(id);
    if (!event) return;
    this.#events.delete(id);
    this.#bytes -= event.bytes;
    this.#budget.delete(event);
  }
}
