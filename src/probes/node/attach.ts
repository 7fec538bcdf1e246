import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fault } from '../../kernel/index.ts';
import { probeLimits } from '../limits.ts';
import { isStill } from '../target/process-facts.ts';
import type { Target } from '../target/target.ts';
import { agentExpression } from './agent-text.ts';
import {
  beginWatch,
  hasStranger,
  type InspectorPort,
  isListening,
  openInspector,
  untilClosed,
} from './inspector-port.ts';
import { LinkServer } from './link.ts';
import { createSession, type InspectorSession } from './session.ts';
import type { Agent } from './thread-connection.ts';
import { getJson, openSocket } from './web-socket.ts';

/** An agent of ours in a process. */
export interface Attachment {
  readonly target: Target;
  readonly agent: Agent;
  /** Of a worker thread; absent for the main thread. */
  readonly thread?: number;
  /** The one global in the process, with a random name. */
  readonly name: string;
  /** `v24.1.0` */
  readonly version: string;
  /** Scripts that it has loaded at least: those of Node and CommonJS modules. */
  readonly scripts: number;
  readonly inspector: InspectorPort & { readonly openMs: number; readonly end: PortEnd };
}

export type PortEnd =
  | 'closed'
  | 'open as it was found'
  | 'still open'
  | 'in use by another debugger';

/** One process after the other: all of them want the same port for their inspector. */
let queue: Promise<unknown> = Promise.resolve();

export function attach(target: Target): Promise<Attachment> {
  const attached = queue.then(() => attachNow(target));
  queue = attached.catch(() => {});
  return attached;
}

async function attachNow(target: Target): Promise<Attachment> {
  const { pid } = target;
  const server = await LinkServer.open(pid);
  try {
    const inspector = await openInspector(target, (late) => closeAtLast(target, late));
    const began = performance.now();
    const name = `__surety_${randomBytes(6).toString('hex')}`;
    const { version, scripts, end } = await useInspector(target, inspector, async (session) =>
      inject(session, await agentExpression(name, server.link)),
    );
    const openMs = Math.round(performance.now() - began);
    const agent = await server.accept(pid);
    return { target, agent, name, version, scripts, inspector: { ...inspector, openMs, end } };
  } finally {
    server.close();
  }
}

type Injected = Pick<Attachment, 'version' | 'scripts'>;

/** Leaves the port as it was found, whatever happens. */
async function useInspector(
  target: Target,
  inspector: InspectorPort,
  use: (session: InspectorSession) => Promise<Injected>,
): Promise<Injected & { end: PortEnd }> {
  const { pid } = target;
  let session: InspectorSession | undefined;
  let end: PortEnd | undefined;
  try {
    if (await hasStranger(pid, inspector.port)) throw fault('PROBE_BUSY', { pid });
    session = await openSession(pid, inspector.port);
    if (await hasStranger(pid, inspector.port, session.localPort)) {
      throw fault('PROBE_BUSY', { pid });
    }
    const injected = await use(session);
    end = await closeInspector(target, inspector, session);
    return { ...injected, end };
  } finally {
    session?.cut();
    if (end === undefined || end === 'still open') await closeSoon(target, inspector);
  }
}

/** A process that does not close its port at once is asked again, and nobody waits for that. */
async function closeSoon(target: Target, inspector: InspectorPort): Promise<void> {
  const end = await closeAgain(target, inspector).catch(() => 'still open');
  if (end === 'still open') closeAtLast(target, inspector).catch(() => {});
}

const againMs = 500;

async function closeAtLast(target: Target, inspector: InspectorPort): Promise<void> {
  const watch = beginWatch(target.pid);
  while ((await isListening(target.pid, inspector.port)) && !watch.aborted) {
    const end = await closeAgain(target, inspector).catch(() => 'still open');
    if (end !== 'still open') return;
    await delay(againMs, undefined, { ref: false });
  }
}

/** By a connection of its own. */
async function closeAgain(target: Target, inspector: InspectorPort): Promise<PortEnd> {
  const session = await openSession(target.pid, inspector.port);
  try {
    return await closeInspector(target, inspector, session);
  } finally {
    session.cut();
  }
}

async function openSession(pid: number, port: number): Promise<InspectorSession> {
  const url = await debuggerUrl(pid, port);
  const socket = await openSocket(url, probeLimits.probeAnswerMsMax).catch((error) => {
    throw unusable(pid, error);
  });
  return createSession(pid, socket);
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

/** `includeCommandLineAPI` gives `require`, in ES modules, too. */
async function inject(session: InspectorSession, expression: string): Promise<Injected> {
  const params = { expression, includeCommandLineAPI: true, returnByValue: true, silent: true };
  const { result, exceptionDetails } = await session.call('Runtime.evaluate', params);
  if (exceptionDetails) {
    const { exception, text } = exceptionDetails as {
      exception?: { description?: string };
      text: string;
    };
    const [reason] = (exception?.description ?? text).split('\n');
    throw fault('PROBE_AGENT_REFUSED', { pid: session.pid, reason: reason ?? text });
  }
  return JSON.parse((result as { value: string }).value) as Injected;
}

/**
 * A busy main thread opens the port between two statements, and once more when it comes back to
 * its event loop, as Node asks for it in both ways. So it is closed again there.
 */
const closing =
  '(end=>{setImmediate(()=>{end();setImmediate(end)});end()})(()=>process._debugEnd())';

/**
 * Closes the very connection that asks for it, so that an answer may never come. A port that we
 * opened is closed whoever else uses it: it would let any user of the machine into the process.
 */
async function closeInspector(
  target: Target,
  { port, wasOpen }: InspectorPort,
  session: InspectorSession,
): Promise<PortEnd> {
  if (wasOpen && target.wantsInspector) return 'open as it was found';
  if (wasOpen && (await hasStranger(target.pid, port, session.localPort))) {
    return 'in use by another debugger';
  }
  const params = { expression: closing, silent: true };
  const asked = session.call('Runtime.evaluate', params).catch(() => {});
  await Promise.race([asked, session.lost]);
  session.cut();
  const isClosed = (await untilClosed(target.pid, port)) || !(await isStill(target));
  return isClosed ? 'closed' : 'still open';
}

function unusable(pid: number, error: unknown): Error {
  return fault('PROBE_INSPECTOR_FAILED', { pid, reason: (error as Error).message }, error);
}
