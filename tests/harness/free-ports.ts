import { once } from 'node:events';
import net from 'node:net';

/**
 * Below those that the kernel gives to connections, and that Surety gives to doors and candidates:
 * one of these is taken by nobody between its choice and its use, however long a system needs to
 * start.
 */
const first = 10_000;
const blocks = 40;
const portsPerBlock = 200;

/** Of this process alone, however many others and other runs there are on the machine. */
let block: Promise<number> | undefined;
let offset = 0;

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
  block ??= claimBlock();
  const start = await block;
  for (let tries = 1; tries < portsPerBlock; tries++) {
    offset = (offset % (portsPerBlock - 1)) + 1;
    if (await isFree(start + offset)) return start + offset;
  }
  throw new Error('every port is in use');
}

/** Whoever listens on its first port has it, until its process ends. */
async function claimBlock(): Promise<number> {
  const any = Math.floor(Math.random() * blocks);
  for (let turn = 0; turn < blocks; turn++) {
    const start = first + ((any + turn) % blocks) * portsPerBlock;
    const server = await listen(start);
    server?.unref();
    if (server) return start;
  }
  throw new Error('every block of ports is in use');
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server) await once(server.close(), 'close');
  return server !== undefined;
}

async function listen(port: number): Promise<net.Server | undefined> {
  const server = net.createServer().listen(port);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
