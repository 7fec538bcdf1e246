import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';

/** A real server from the machine's packages, on a port of its own; `stop` leaves nothing. */
export interface LocalServer {
  readonly port: number;
  readonly directory: string;
  stop(): Promise<void>;
}

/** `words` gets the port and a fresh directory to live in. */
export async function startLocalServer(
  program: string,
  words: (port: number, directory: string) => readonly string[],
): Promise<LocalServer> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), `surety-${program}-`));
  // Packages for servers put them where only root looks.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
  const child = spawn(program, words(port, directory), { stdio: 'ignore', env, cwd: directory });
  const leave = (): void => void child.kill('SIGKILL');
  process.once('exit', leave);
  const stop = async (): Promise<void> => {
    process.off('exit', leave);
    await end(child);
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await until(`${program} answers`, () => answers(port, child));
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, directory, stop };
}

export const startRedis = (databases = 16): Promise<LocalServer> =>
  startLocalServer('redis-server', (port, directory) => [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory],
    ...['--save', '', '--appendonly', 'no', '--databases', String(databases)],
  ]);

export const startNats = (): Promise<LocalServer> =>
  startLocalServer('nats-server', (port, directory) => [
    ...['--addr', '127.0.0.1', '--port', String(port), '--store_dir', directory, '--jetstream'],
  ]);

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function answers(port: number, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null || child.pid === undefined) {
    throw new Error(`${child.spawnfile} did not start. Is it installed?`);
  }
  const socket = net.connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
