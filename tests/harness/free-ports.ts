import { once } from 'node:events';
import net from 'node:net';

/**
 * Below those that the kernel gives to connections, and that Surety gives to doors and candidates:
 * one of these is taken by nobody between its choice and its use, however long a system needs to
 * start.
 */
const first = 10_000;
const portsPerWorker = 2_000;
const workers = 4;
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % workers;

/** From anywhere on, so that two runs on one machine rarely ask for the same. */
let offset = Math.floor(Math.random() * portsPerWorker);

/** Ports that nobody uses now, and that are not given again for long. */
export async function freePorts<const Name extends string>(
  names: readonly Name[],
): Promise<Record<Name, number>> {
  const ports: [string, number][] = [];
  for (const name of names) ports.push([name, await freePort()]);
  return Object.fromEntries(ports) as Record<Name, number>;
}

/** One that nobody uses now. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < portsPerWorker; tries++) {
    offset = (offset + 1) % portsPerWorker;
    const port = first + worker * portsPerWorker + offset;
    if (await isFree(port)) return port;
  }
  throw new Error('every port is in use');
}

async function isFree(port: number): Promise<boolean> {
  const server = net.createServer().listen(port);
  try {
    await once(server, 'listening');
    await once(server.close(), 'close');
    return true;
  } catch {
    return false;
  }
}
