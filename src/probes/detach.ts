import { setTimeout as delay } from 'node:timers/promises';
import { type Attachment, openSession, release } from './attachment.ts';
import { hasStranger, untilClosed } from './inspector-port.ts';
import { probeLimits } from './limits.ts';
import { isEnding, isStill } from './process-facts.ts';
import type { InspectorSession } from './session.ts';

const pollMs = 5;

/** What is left of a probe in its process, looked up in /proc after its end. */
export type Residue = {
  /** `removed` was acknowledged by V8; otherwise it went with the session that owned it. */
  readonly breakpoint: 'removed' | 'gone with its session';
  readonly inspector:
    | 'closed'
    | 'open as it was found'
    | 'in use by another debugger'
    | 'still open'
    | 'gone with its process';
};

/**
 * Leaves the process as it was found, and looks whether that worked. Never throws. A process that
 * exits by itself `hasSaidSo`; one that is killed has not.
 */
export async function detach(attachment: Attachment, hasSaidSo: boolean): Promise<Residue> {
  const { session, target } = attachment;
  try {
    const isDisabled = await disable(session);
    if (hasSaidSo || (await isEnding(target))) await untilGone(target);
    const inspector = await closeInspector(attachment);
    return { breakpoint: isDisabled ? 'removed' : 'gone with its session', inspector };
  } finally {
    session.cut();
    release(target);
  }
}

/** What is looked up before that is done is neither its residue nor none. */
async function untilGone(target: Attachment['target']): Promise<void> {
  const deadline = AbortSignal.timeout(probeLimits.probeAnswerMsMax);
  while ((await isStill(target)) && !deadline.aborted) await delay(pollMs);
}

/** Takes all breakpoints along, and ends a pause. */
function disable(session: InspectorSession): Promise<boolean> {
  return session.call('Debugger.disable').then(
    () => true,
    () => false,
  );
}

async function closeInspector(attachment: Attachment): Promise<Residue['inspector']> {
  const { target, inspector, session } = attachment;
  const { pid } = target;
  if (!(await isStill(target))) return 'gone with its process';
  if (target.wantsInspector) return 'open as it was found';
  if (await hasStranger(pid, inspector.port, session.localPort)) {
    return 'in use by another debugger';
  }
  await endInspector(attachment);
  const isClosed = await untilClosed(pid, inspector.port);
  if (!(await isStill(target))) return 'gone with its process';
  return isClosed ? 'closed' : 'still open';
}

/** Closes the very connection that asks for it, so that an answer may never come. */
async function endInspector({ target, inspector, session }: Attachment): Promise<void> {
  // A connection that was lost cannot ask any more: a new one is opened for this alone.
  const asking = session.isLost()
    ? await openSession(target.pid, inspector.port).catch(() => undefined)
    : session;
  const params = { expression: 'process._debugEnd()', silent: true };
  await asking?.call('Runtime.evaluate', params).catch(() => {});
  asking?.cut();
}
