import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { freePort } from './free-ports.ts';
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
  variables: (port: number, directory: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<LocalServer> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), `surety-${basename(program)}-`));
  // Packages for servers put them where only root looks.
  const path = { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
  const env = { ...process.env, ...path, ...variables(port, directory) };
  const child = spawn(program, words(port, directory), {
    stdio: 'ignore',
    env,
    cwd: directory,
    // A group of its own: some are started by a script, which is not what is to be ended.
    detached: true,
  });
  const leave = (): void => killGroup(child);
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

/** With a name service of its own: Erlang would leave one behind for the whole machine. */
export async function startRabbitmq(): Promise<LocalServer> {
  const names = await startLocalServer('epmd', (port) => ['-port', String(port)]);
  try {
    const broker = await startLocalServer(
      '/usr/lib/rabbitmq/bin/rabbitmq-server',
      () => [],
      (port, directory) => ({
        HOME: directory,
        ERL_EPMD_PORT: String(names.port),
        RABBITMQ_NODENAME: `surety${port}@localhost`,
        RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
        RABBITMQ_NODE_PORT: String(port),
        RABBITMQ_MNESIA_BASE: join(directory, 'data'),
        RABBITMQ_LOG_BASE: join(directory, 'logs'),
        RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, 'plugins'),
        RABBITMQ_CONF_ENV_FILE: '/dev/null',
      }),
    );
    const stop = async (): Promise<void> => {
      await broker.stop();
      await names.stop();
    };
    return { ...broker, stop };
  } catch (error) {
    await names.stop();
    throw error;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const isGone = child.exitCode !== null || child.signalCode !== null;
  const gone = isGone ? undefined : once(child, 'exit');
  killGroup(child);
  await gone;
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
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
