import { fault } from '../kernel/index.ts';
import { hasStranger, type InspectorPort, openInspector } from './inspector-port.ts';
import { probeLimits } from './limits.ts';
import { createSession, type InspectorSession } from './session.ts';
import type { Target } from './target.ts';
import { getJson, openSocket } from './web-socket.ts';

/** A session with the debugger of a process, alone. */
export interface Attachment {
  readonly target: Target;
  readonly inspector: InspectorPort;
  readonly session: InspectorSession;
}

/** Processes that this one is attached to: a second pause would hold up the first. */
const occupied = new Set<number>();

/** Nobody else may be attached: a pause of ours would stop in their debugger, and theirs in us. */
export async function attach(target: Target): Promise<Attachment> {
  const { pid } = target;
  if (occupied.has(pid)) throw fault('PROBE_BUSY', { pid });
  occupied.add(pid);
  try {
    const inspector = await openInspector(target);
    if (await hasStranger(pid, inspector.port)) throw fault('PROBE_BUSY', { pid });
    return { target, inspector, session: await openSession(pid, inspector.port) };
  } catch (error) {
    release(target);
    throw error;
  }
}

/** Only once nothing of ours is left in the process. */
export function release({ pid }: Target): void {
  occupied.delete(pid);
}

export async function openSession(pid: number, port: number): Promise<InspectorSession> {
  const url = await debuggerUrl(pid, port);
  const socket = await openSocket(url, probeLimits.probeAnswerMsMax).catch((error) => {
    throw unusable(pid, error);
  });
  const session = createSession(pid, socket);
  if (await hasStranger(pid, port, socket.localPort)) {
    session.cut();
    throw fault('PROBE_BUSY', { pid });
  }
  return session;
}

/** The address holds a random part, so that only who can ask for it can attach. */
async function debuggerUrl(pid: number, port: number): Promise<URL> {
  try {
    const list = new URL(`http://127.0.0.1:${port}/json/list`);
    const answer = await getJson(list, probeLimits.probeAnswerMsMax);
    const [first] = answer as readonly { readonly webSocketDebuggerUrl: string }[];
    return new URL(first?.webSocketDebuggerUrl ?? '');
  } catch (error) {
    throw unusable(pid, error);
  }
}

function unusable(pid: number, error: unknown): Error {
  return fault('PROBE_INSPECTOR_FAILED', { pid, reason: (error as Error).message }, error);
}
