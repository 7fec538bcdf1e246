import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface PaymentService extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The service as a process of its own, which also ends when this one does. */
export async function startPaymentService(databaseUrl: string, port = 0): Promise<PaymentService> {
  const child = fork(fileURLToPath(new URL('./main.ts', import.meta.url)), {
    // Not ours: a test runner's loaders have no business there.
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: String(port) },
  });
  const url = `http://127.0.0.1:${await listeningPort(child)}`;
  const stop = () => end(child);
  return { url, pid: child.pid as number, stop, [Symbol.asyncDispose]: stop };
}

async function listeningPort(child: ChildProcess): Promise<number> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  for await (const line of lines) return JSON.parse(line).port;
  throw new Error('The payment service ended before it was ready.');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
