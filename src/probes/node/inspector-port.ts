import { setTimeout as delay } from 'node:timers/promises';
import { fault, isFault } from '../../kernel/index.ts';
import { probeLimits } from '../limits.ts';
import { isStill } from '../target/process-facts.ts';
import { findHolder, type Network, readNetwork } from '../target/sockets.ts';
import { recheckTarget, type Target } from '../target/target.ts';
import { getJson } from './web-socket.ts';

export type InspectorPort = {
  readonly port: number;
  /** It was open before we came: by --inspect, by somebody's signal, or by a probe that died. */
  readonly wasOpen: boolean;
};

const pollMs = 5;
const attemptsMax = 5;
/** A port opens within some 15 ms of the signal, on a machine that has time. */
const patienceMs = 1_000;

/**
 * Finds the inspector of exactly this process, by the sockets that the process holds: on a machine
 * with several, all of them want the same port, and whoever answers there may be another one.
 */
export async function openInspector(target: Target, closeLate: CloseLate): Promise<InspectorPort> {
  const { pid, expectedPort } = target;
  endWatch(pid);
  const before = listeningPorts(await readNetwork(pid));
  if (before.has(expectedPort)) return { port: expectedPort, wasOpen: true };
  for (let attempt = 1; ; attempt++) {
    await untilFree(target);
    await recheckTarget(target);
    // Once only: an application that handles this signal itself must not get a volley of it.
    process.kill(pid, 'SIGUSR1');
    try {
      return await untilOpen(target, before);
    } catch (error) {
      // Node tried in vain, because somebody else was faster.
      if (isFault(error, 'PROBE_PORT_TAKEN') && attempt < attemptsMax) continue;
      watchLate(target, before, closeLate).catch(() => {});
      throw error;
    }
  }
}

/** Closes an inspector that opens when nobody waits for it any more. */
type CloseLate = (inspector: InspectorPort) => Promise<unknown>;

const latePollMs = 100;
const watches = new Map<number, AbortController>();

/** Aborts when its time is over, or the process is attached to again, which closes its port too. */
export function beginWatch(pid: number): AbortSignal {
  endWatch(pid);
  const watch = new AbortController();
  watches.set(pid, watch);
  return AbortSignal.any([watch.signal, AbortSignal.timeout(probeLimits.probeLateMsMax)]);
}

function endWatch(pid: number): void {
  watches.get(pid)?.abort();
  watches.delete(pid);
}

/** A main thread that is blocked handles the signal when it goes on, and opens its port then. */
async function watchLate(
  target: Target,
  before: ReadonlySet<number>,
  closeLate: CloseLate,
): Promise<void> {
  const watch = beginWatch(target.pid);
  const known = new Set(before);
  while (!watch.aborted && (await isStill(target))) {
    const ports = listeningPorts(await readNetwork(target.pid));
    const fresh = [...ports].filter((port) => !known.has(port));
    const isOurs = (port: number): boolean => port === target.expectedPort;
    const port = fresh.find(isOurs) ?? (await findInspector(new Set(fresh)));
    if (port !== undefined && !watch.aborted)
      return void (await closeLate({ port, wasOpen: false }));
    // Each port is asked once: it may belong to the application.
    for (const one of fresh) known.add(one);
    await delay(latePollMs, undefined, { ref: false });
  }
}

async function untilOpen(target: Target, before: ReadonlySet<number>): Promise<InspectorPort> {
  const { pid } = target;
  const deadline = AbortSignal.timeout(probeLimits.probeOpenMsMax);
  const patience = AbortSignal.timeout(patienceMs);
  for (let hasLooked = false; !deadline.aborted; await delay(pollMs)) {
    const network = await readNetwork(pid);
    const port = freshPort(target, before, network);
    if (port !== undefined) return { port, wasOpen: false };
    await checkFree(target, network);
    if (!patience.aborted || hasLooked) continue;
    hasLooked = true;
    const open = await findInspector(before);
    if (open !== undefined) return { port: open, wasOpen: true };
  }
  const reason = `no port opened within ${probeLimits.probeOpenMsMax} ms of SIGUSR1`;
  throw fault('PROBE_INSPECTOR_FAILED', { pid, reason });
}

/** Somebody else may be attaching to another process just now, which takes a moment. */
async function untilFree(target: Target): Promise<void> {
  const deadline = AbortSignal.timeout(probeLimits.probePortWaitMsMax);
  for (;;) {
    try {
      return await checkFree(target, await readNetwork(target.pid));
    } catch (error) {
      if (deadline.aborted) throw error;
      await delay(pollMs);
    }
  }
}

function freshPort(
  { expectedPort }: Target,
  before: ReadonlySet<number>,
  network: Network,
): number | undefined {
  const isFresh = (port: number): boolean =>
    !before.has(port) && (expectedPort === 0 || port === expectedPort);
  return [...listeningPorts(network)].find(isFresh);
}

/**
 * A process that takes any free port may have taken one already, for a probe that died since; it
 * ignores the signal then. Asking costs its application a request that nobody sent, so it is only
 * done when nothing opens.
 */
async function findInspector(ports: ReadonlySet<number>): Promise<number | undefined> {
  for (const port of ports) if (await isInspector(port)) return port;
  return undefined;
}

/** Only an inspector lists what can be debugged; an application would have to imitate it. */
async function isInspector(port: number): Promise<boolean> {
  try {
    const list = await getJson(new URL(`http://127.0.0.1:${port}/json/list`), patienceMs);
    const [first] = list as readonly { readonly webSocketDebuggerUrl?: string }[];
    return first?.webSocketDebuggerUrl?.includes(`:${port}/`) ?? false;
  } catch {
    return false;
  }
}

/** Node tries one port only, and tells nobody but its own standard error when that is taken. */
async function checkFree({ pid, expectedPort: port }: Target, { others }: Network): Promise<void> {
  const taken = others.find((socket) => socket.state === 'listening' && socket.port === port);
  if (!taken) return;
  const found = await findHolder(taken.inode);
  const holder = found === undefined ? 'another process' : `process ${found}`;
  throw fault('PROBE_PORT_TAKEN', { pid, port, holder });
}

function listeningPorts({ own }: Network): ReadonlySet<number> {
  return new Set(own.filter(({ state }) => state === 'listening').map(({ port }) => port));
}

export async function isListening(pid: number, port: number): Promise<boolean> {
  return listeningPorts(await readNetwork(pid)).has(port);
}

/** False if the process keeps listening there until the deadline. */
export async function untilClosed(pid: number, port: number): Promise<boolean> {
  const deadline = AbortSignal.timeout(probeLimits.probeAnswerMsMax);
  while (await isListening(pid, port)) {
    if (deadline.aborted) return false;
    await delay(pollMs);
  }
  return true;
}

/** Connections to the inspector that are not ours: somebody is debugging this process. */
export async function hasStranger(
  pid: number,
  port: number,
  ourPort?: number | undefined,
): Promise<boolean> {
  const { own } = await readNetwork(pid);
  return own.some(
    (socket) =>
      socket.state === 'connected' && socket.port === port && socket.remotePort !== ourPort,
  );
}
