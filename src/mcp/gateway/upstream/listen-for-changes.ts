import { setTimeout as delay } from 'node:timers/promises';
import { mcpLimits } from '../../limits.ts';
import { isLineDead } from './upstream-failure.ts';
import type { UpstreamSession } from './upstream-session.ts';

const backoffMsMin = 250;

interface ListeningEvents {
  /** Whether the connection is not in use any more. */
  isOver(): boolean;
  /** Something may have changed while nobody listened. */
  onMissed(): void;
  onRefused(reason: string): void;
}

/**
 * A server of the newest revision tells of changes on a stream; older ones do so unasked. Settles
 * once the stream is open or refused: a server without it is a server all the same.
 */
export function listenForChanges(session: UpstreamSession, events: ListeningEvents): Promise<void> {
  const { tools, prompts, resources } = session.capabilities;
  const wanted = {
    ...(tools?.listChanged ? { toolsListChanged: true } : {}),
    ...(prompts?.listChanged ? { promptsListChanged: true } : {}),
    ...(resources?.listChanged ? { resourcesListChanged: true } : {}),
  };
  if (!session.isModern || Object.keys(wanted).length === 0) return Promise.resolve();
  const first = Promise.withResolvers<void>();
  void keepListening(session, wanted, events, first.resolve);
  return first.promise;
}

async function keepListening(
  session: UpstreamSession,
  wanted: Parameters<UpstreamSession['listen']>[0],
  { isOver, onMissed, onRefused }: ListeningEvents,
  onFirst: () => void,
): Promise<void> {
  let waitMs = backoffMsMin;
  for (let attempt = 0; !isOver(); attempt++) {
    try {
      const subscription = await session.listen(wanted);
      onFirst();
      if (attempt > 0) onMissed();
      if ((await subscription.closed) === 'local') return;
    } catch (error) {
      if (attempt === 0) onRefused(String(error).slice(0, 300));
      // One that is gone is not: it is connected anew.
      if (isLineDead(error)) await session.close();
    }
    onFirst();
    await delay(waitMs, undefined, { ref: false });
    waitMs = Math.min(2 * waitMs, mcpLimits.upstreamBackoffMsMax);
  }
}
