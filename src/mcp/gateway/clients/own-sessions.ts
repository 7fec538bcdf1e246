import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { ClientDescription, UpstreamSession } from '../upstream/upstream-session.ts';
import type { ProtocolMessage } from './exchange.ts';

type OnNotification = (notification: ProtocolMessage) => void;

const meetMsMax = 1_000;

/**
 * The sessions of one client of an older revision, one with each server over HTTP that it uses. The
 * server knows what this client can be asked, and what it tells in a session is for nobody else.
 */
export class OwnSessions {
  readonly #client: ClientDescription;
  readonly #onNotification: OnNotification;
  readonly #open = new Map<Upstream, Promise<UpstreamSession | undefined>>();
  #level: JsonObject | undefined;

  constructor(client: ClientDescription, onNotification: OnNotification) {
    this.#client = client;
    this.#onNotification = onNotification;
  }

  /**
   * A server may be able to do more in an older revision than in the newest: until that is known, a
   * client's session begins with asking. One that does not answer soon is not waited for.
   */
  async meet(upstreams: readonly Upstream[]): Promise<void> {
    const unknown = upstreams.filter((upstream) => upstream.isUp && upstream.isOlderUnknown);
    if (unknown.length === 0) return;
    const met = Promise.all(unknown.map((upstream) => this.at(upstream)));
    await Promise.race([met, delay(meetMsMax, undefined, { ref: false })]);
  }

  at(upstream: Upstream): Promise<UpstreamSession | undefined> {
    const known = this.#open.get(upstream);
    if (known) return known;
    const opened = this.#begin(upstream);
    this.#open.set(upstream, opened);
    return opened;
  }

  /** Those that are opened later hear of it when they are. */
  async setLevel(params: JsonObject): Promise<void> {
    this.#level = params;
    const sessions = await Promise.all(this.#open.values());
    await Promise.allSettled(sessions.map((session) => session && sendLevel(session, params)));
  }

  async close(): Promise<void> {
    const sessions = await Promise.all(this.#open.values());
    this.#open.clear();
    await Promise.all(sessions.map((session) => session?.close()));
  }

  async #begin(upstream: Upstream): Promise<UpstreamSession | undefined> {
    const session = await upstream.openOwn(this.#client, this.#onNotification);
    void (session?.ended ?? Promise.resolve()).then(() => this.#open.delete(upstream));
    if (session && this.#level) await sendLevel(session, this.#level).catch(() => undefined);
    return session;
  }
}

/** Servers of the newest revision are told the level with each request. */
export async function sendLevel(session: UpstreamSession, params: JsonObject): Promise<void> {
  if (session.capabilities.logging && !session.isModern) {
    const timeoutMs = mcpLimits.upstreamListMsMax;
    await session.request({ method: 'logging/setLevel', params }, { timeoutMs });
  }
}
