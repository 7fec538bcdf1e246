import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { DapError, type DapStream } from './client.ts';

export type AdapterChild = ChildProcessByStdio<Writable, Readable, Readable>;

/** A debug adapter that was started here. */
export interface AdapterProcess {
  readonly child: AdapterChild;
  /** The end of what it wrote to standard error, for a fault's reason. */
  errorText(): string;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

const errorCharsKept = 2_000;

/** Resolves when it runs; rejects if it can't be started. */
export async function startAdapter(
  command: string,
  args: readonly string[],
): Promise<AdapterProcess> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], cwd: '/' });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-errorCharsKept);
  });
  // It may end while a request is on its way to it; "close" tells so.
  child.stdin.on('error', () => {});
  await once(child, 'spawn');
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  return { child, ended, errorText: () => text.trim().split('\n').at(-1)?.slice(0, 300) ?? '' };
}

export function streamOfProcess({ child, errorText }: AdapterProcess): DapStream {
  return {
    write: (bytes) => void child.stdin.write(bytes),
    onData: (listener) => void child.stdout.on('data', listener),
    onClose: (listener) =>
      void child.once('close', (code, signal) => {
        listener(`it ended with ${signal ?? `status ${code}`} ${errorText()}`.trim());
      }),
    // The adapter lets go of its process when its input ends.
    close: () => void child.stdin.end(),
  };
}

export async function connectStream(host: string, port: number): Promise<DapStream> {
  const socket = connect({ host, port, noDelay: true });
  await Promise.race([once(socket, 'connect'), rejectOnError(socket)]);
  return streamOfSocket(socket);
}

function streamOfSocket(socket: Socket): DapStream {
  return {
    write: (bytes) => void socket.write(bytes),
    onData: (listener) => void socket.on('data', listener),
    onClose: (listener) => void socket.once('close', () => listener('it closed the connection')),
    close: () => void socket.destroy(),
  };
}

async function rejectOnError(socket: Socket): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  socket.on('error', (error) => reject(new DapError('closed', error.message)));
  return promise;
}

/** Ends an adapter that was asked to leave and has not. Gives whether it left by itself. */
export async function reapAdapter(adapter: AdapterProcess, timeoutMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), timeoutMs);
  void adapter.ended.then(() => resolve(true));
  const left = await promise;
  clearTimeout(timer);
  if (!left) adapter.child.kill('SIGKILL');
  await adapter.ended;
  return left;
}
