import type { Clock } from '../kernel/index.ts';
import { certify, type EndReason, type Placement, type Removal } from './certificate.ts';
import { detach } from './detach.ts';
import type { InspectorSession } from './session.ts';
import type { ProbeWatch } from './watch.ts';

/** A process that exits waits for its debuggers to leave: it would wait for us for ever. */
export async function endWithProcess(
  session: InspectorSession,
  end: (reason: EndReason) => void,
): Promise<void> {
  session.on('NodeRuntime.waitingForDisconnect', () => {
    end('process-ended');
    session.cut();
  });
  session.lost.then(() => end('connection-lost'));
  await session.call('NodeRuntime.notifyWhenWaitingForDisconnect', { enabled: true });
}

/** Waits for the first reason to end, then clears everything away and looks what is left. */
export async function untilEnd(
  placement: Placement,
  watch: ProbeWatch,
  { promise, resolve }: PromiseWithResolvers<EndReason>,
  clock: Clock,
): Promise<Removal> {
  const expiry = setTimeout(() => resolve('expired'), placement.plan.ttlMs);
  const reason = await promise;
  clearTimeout(expiry);
  await watch.stop();
  const residue = await detach(placement.attachment, reason === 'process-ended');
  const isGone = residue.inspector === 'gone with its process';
  const { hits, conditionError } = watch;
  return {
    reason: reason === 'connection-lost' && isGone ? 'process-ended' : reason,
    hits,
    ...(conditionError === undefined ? {} : { conditionError }),
    certificate: certify(placement, watch, residue, clock.now()),
  };
}
