import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** In the order in which they start: each one after those that it calls. */
const SERVICES = [
  { name: 'validation', port: 4303, calls: [] },
  { name: 'payments', port: 4304, calls: [] },
  { name: 'pricing', port: 4302, calls: ['validation'] },
  { name: 'orders', port: 4301, calls: ['pricing', 'payments'] },
  { name: 'edge', port: 4300, calls: ['orders'] },
] as const;

export type ServiceName = (typeof SERVICES)[number]['name'];

export interface SystemOptions {
  databaseUrl: string;
  /** Where the example's code is; another copy of it may have other code. */
  folder?: string;
  ports: 'usual' | 'free';
  environment?: Record<string, string>;
  onLine?: (line: string) => void;
}

export interface System {
  urls: Record<ServiceName, string>;
  pids: Record<ServiceName, number>;
  stop(): Promise<void>;
}

interface Running {
  child: ChildProcess;
  url: string;
}

const START_MS = 120_000;
const STOP_MS = 10_000;

/** Starts every service as a process of its own, on this machine. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const running = new Map<ServiceName, Running>();
  const stop = async (): Promise<void> => {
    await Promise.all([...running.values()].map(({ child }) => end(child)));
  };
  try {
    for (const service of SERVICES) {
      running.set(service.name, await startService(service, running, options));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    urls: mapValues(running, ({ url }) => url),
    pids: mapValues(running, ({ child }) => child.pid as number),
    stop,
  };
}

function mapValues<T>(running: ReadonlyMap<ServiceName, Running>, value: (of: Running) => T) {
  const entries = [...running].map(([name, of]) => [name, value(of)]);
  return Object.fromEntries(entries) as Record<ServiceName, T>;
}

async function startService(
  { name, port, calls }: (typeof SERVICES)[number],
  running: ReadonlyMap<ServiceName, Running>,
  options: SystemOptions,
): Promise<Running> {
  const folder = options.folder ?? fileURLToPath(new URL('.', import.meta.url));
  const addresses = calls.map((other) => [`${other.toUpperCase()}_URL`, running.get(other)?.url]);
  const child = spawn(process.execPath, [`${folder}/services/${name}/main.ts`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      DATABASE_URL: options.databaseUrl,
      PORT: options.ports === 'usual' ? String(port) : '0',
      ...Object.fromEntries(addresses),
      ...options.environment,
    },
  });
  try {
    return { child, url: `http://127.0.0.1:${await listeningPort(name, child, options.onLine)}` };
  } catch (error) {
    await end(child);
    throw error;
  }
}

/** A service says in its log which port it got, once it can be called. */
function listeningPort(name: string, child: ChildProcess, onLine?: (line: string) => void) {
  return new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} did not start.`)), START_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`${name} ended with ${code} before it was ready.`));
    });
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      onLine?.(line);
      const port = /"message":"listening","port":(\d+)/.exec(line)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(timer);
}
