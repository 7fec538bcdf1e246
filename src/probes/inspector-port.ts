import { setTimeout as delay } from 'node:timers/promises';
import { fault, limits } from '../kernel/index.ts';
import { isStill } from './process-facts.ts';
import { findHolder, ownSockets, readSockets } from './sockets.ts';
import type { Target } from './target.ts';

export interface InspectorPort {
  readonly port: number;
  /** It was open before we came: by --inspect, by somebody's signal, or by a probe that died. */
  readonly wasOpen: boolean;
}

const pollMs = 5;

/**
 * Finds the inspector of exactly this process, by the sockets that the process holds: on a machine
 * with several, all of them want the same port, and whoever answers there may be another one.
 */
export async function openInspector(target: Target): Promise<InspectorPort> {
  const before = await listeningPorts(target.pid);
  if (before.has(target.expectedPort)) return { port: target.expectedPort, wasOpen: true };
  await checkFree(target);
  // The number may have passed to a process that SIGUSR1 would end.
  if (!(await isStill(target))) throw fault('PROBE_PROCESS_MISSING', { pid: target.pid });
  process.kill(target.pid, 'SIGUSR1');
  return { port: await newPort(target, before), wasOpen: false };
}

export async function isListening(pid: number, port: number): Promise<boolean> {
  return (await listeningPorts(pid)).has(port);
}

/** False if the process keeps listening there until the deadline. */
export async function untilClosed(pid: number, port: number): Promise<boolean> {
  const deadline = AbortSignal.timeout(limits.probeAnswerMsMax);
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
  ownPorts: readonly (number | undefined)[],
): Promise<boolean> {
  const sockets = await ownSockets(pid);
  return sockets.some(
    (socket) =>
      socket.state === 'connected' && socket.port === port && !ownPorts.includes(socket.remotePort),
  );
}

async function newPort(target: Target, before: ReadonlySet<number>): Promise<number> {
  const deadline = AbortSignal.timeout(limits.probeOpenMsMax);
  while (!deadline.aborted) {
    const now = await listeningPorts(target.pid);
    const fresh = [...now].find((port) => isExpected(port, target) && !before.has(port));
    if (fresh !== undefined) return fresh;
    await delay(pollMs);
  }
  await checkFree(target);
  const reason = `no port opened within ${limits.probeOpenMsMax} ms of SIGUSR1`;
  throw fault('PROBE_INSPECTOR_FAILED', { pid: target.pid, reason });
}

function isExpected(port: number, { expectedPort }: Target): boolean {
  return expectedPort === 0 || port === expectedPort;
}

/** Node tries one port only, and tells nobody but its own standard error when that is taken. */
async function checkFree({ pid, expectedPort: port }: Target): Promise<void> {
  const sockets = await readSockets(pid);
  const taken = sockets.find((socket) => socket.state === 'listening' && socket.port === port);
  if (!taken) return;
  const found = await findHolder(taken.inode);
  const holder = found === undefined ? 'another process' : `process ${found}`;
  throw fault('PROBE_PORT_TAKEN', { pid, port, holder });
}

async function listeningPorts(pid: number): Promise<ReadonlySet<number>> {
  const sockets = await ownSockets(pid);
  return new Set(sockets.filter(({ state }) => state === 'listening').map(({ port }) => port));
}
