import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type ListenOptions, type Server } from 'node:net';
import { fault } from './fault.ts';

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/**
 * A port that one asker has alone among all Surety processes, until its process dies at the latest;
 * where there are no abstract sockets, alone within its process.
 */
export interface PortLease {
  readonly port: number;
  release(): void;
}

const triesMax = 2_000;
const roomMin = 1_000;
const lowest = 10_000;
const highest = 65_535;

/** `own`: of the router and of telemetry, which services were told; they keep them. */
export const portRanges = {
  own: { first: 18_000, last: 19_999 },
  candidates: { first: 20_000, last: highest },
} as const satisfies Record<string, PortRange>;

/** A port of the range on which nobody listens, leased. */
export async function reservePort(
  range: PortRange,
  inUse: ReadonlySet<number> = new Set(),
): Promise<PortLease> {
  const { first, last } = outsideEphemeral(range);
  for (let tries = 0; tries < triesMax; tries++) {
    const port = randomInt(first, last + 1);
    const lease = inUse.has(port) ? undefined : await leasePort(port);
    if (!lease) continue;
    if (await isPortFree(port)) return lease;
    lease.release();
  }
  throw fault('PORTS_EXHAUSTED', { first, last });
}

/**
 * Undefined if another process, or this one, has it. The lease is a name among the abstract
 * sockets: the kernel gives a name to one process at a time, whoever runs it, takes it back when
 * the process dies, and keeps a set of names for each set of ports (a network namespace).
 */
export async function leasePort(
  port: number,
  use: 'reserved' | 'starting' = 'reserved',
): Promise<PortLease | undefined> {
  const name = `surety-port-${use}-${port}`;
  const hasAbstractSockets = process.platform === 'linux';
  const server = hasAbstractSockets ? await listen({ path: `\0${name}` }) : 'EPERM';
  if (server === 'EADDRINUSE') return undefined;
  // A security profile may forbid abstract sockets; that says nothing about the port.
  if (server === 'EACCES' || server === 'EPERM') return leaseWithin(name, port);
  if (typeof server === 'string') throw new Error(`The lease of port ${port} failed: ${server}.`);
  server.unref();
  return { port, release: () => void server.close() };
}

const ownLeases = new Map<string, PortLease>();

/** Without abstract sockets: no other process knows of it. */
function leaseWithin(name: string, port: number): PortLease | undefined {
  if (ownLeases.has(name)) return undefined;
  const release = (): void => {
    if (ownLeases.get(name) === lease) ownLeases.delete(name);
  };
  const lease = { port, release };
  ownLeases.set(name, lease);
  return lease;
}

/** On every address, unless told: whoever gets the port may listen on all of them. */
export async function isPortFree(port: number, host = '0.0.0.0'): Promise<boolean> {
  const server = await listen({ port, host, exclusive: true });
  if (typeof server === 'string') return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/**
 * Opens something on a port of the range by trying: what opens has the port, there is no moment in
 * between. The one that it had before comes first; those that others lease are left to them. The
 * lease of the port lasts as long as this process.
 */
export async function openOnPort<Value>(
  { range, former }: { readonly range: PortRange; readonly former?: number | undefined },
  open: (port: number) => Promise<Value>,
  isTaken: (error: unknown) => boolean,
): Promise<Value> {
  const { first, last } = outsideEphemeral(range);
  for (let tries = 0; tries < triesMax; tries++) {
    const port = tries === 0 && former !== undefined ? former : randomInt(first, last + 1);
    const lease = await leasePort(port);
    if (!lease) continue;
    try {
      return await open(port);
    } catch (error) {
      lease.release();
      if (!isTaken(error)) throw error;
    }
  }
  throw fault('PORTS_EXHAUSTED', { first, last });
}

/**
 * The part of the range that the operating system gives to no connection of itself: a connection
 * would take a port while whoever listens there is being started. Where that leaves too little,
 * ports below or above; where there are none either, whoever starts something must try again.
 */
export function outsideEphemeral(
  range: PortRange,
  { first: low, last: high }: PortRange = ephemeralPorts(),
): PortRange {
  const { first, last } = range;
  if (last < low || first > high) return range;
  if (low - first >= roomMin) return { first, last: low - 1 };
  if (low - lowest >= roomMin) return { first: lowest, last: low - 1 };
  if (highest - high >= roomMin) return { first: high + 1, last: highest };
  return range;
}

function ephemeralPorts(): PortRange {
  try {
    const text = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
    const [first = 0, last = 0] = text.trim().split(/\s+/).map(Number);
    return { first, last };
  } catch {
    // What Linux does by default; others keep to a part of it.
    return { first: 32_768, last: highest };
  }
}

/** The server, or the code of the error that kept it from listening. */
function listen(where: ListenOptions): Promise<Server | string> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'));
    server.listen(where, () => resolve(server));
  });
}
