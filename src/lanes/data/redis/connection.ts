import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { type Reply, ReplyReader } from './reply-reader.ts';

const connectMsMax = 3_000;
const answerMsMax = 30_000;

export type Send = (...words: readonly (string | number)[]) => Promise<Reply>;

interface PendingReply {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/** Work on one connection to a Redis, closed afterwards. Commands may be sent without waiting. */
export async function withRedis<Result>(
  url: string,
  work: (send: Send) => Promise<Result>,
): Promise<Result> {
  const address = new URL(url);
  const socket = await connect(address);
  try {
    const send = speak(socket);
    await signIn(send, address);
    return await work(send);
  } finally {
    socket.destroy();
  }
}

/** The number of the logical database that an address names. */
export function databaseOf(url: string): number {
  return Number(new URL(url).pathname.slice(1) || 0);
}

export function withDatabase(url: string, database: number): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}

async function connect({ protocol, hostname, port }: URL): Promise<net.Socket> {
  const host = hostname.replace(/^\[|\]$/g, '') || '127.0.0.1';
  const options = { host, port: Number(port || 6379) };
  const isSecure = protocol === 'rediss:';
  const socket = isSecure ? tls.connect({ ...options, servername: host }) : net.connect(options);
  const signal = AbortSignal.timeout(connectMsMax);
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect', { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket.setTimeout(answerMsMax, () => socket.destroy(new Error('no answer in time')));
}

function speak(socket: net.Socket): Send {
  const reader = new ReplyReader();
  const waiting: PendingReply[] = [];
  socket.on('data', (chunk) => {
    try {
      for (const reply of reader.read(chunk)) settle(waiting.shift(), reply);
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    for (const one of waiting.splice(0)) one.reject(new Error('the connection was closed'));
  });
  return (...words) => {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    waiting.push({ resolve, reject });
    socket.write(command(words), 'latin1');
    return promise;
  };
}

function settle(waiting: PendingReply | undefined, reply: Reply): void {
  if (reply instanceof Error) waiting?.reject(reply);
  else waiting?.resolve(reply);
}

function command(words: readonly (string | number)[]): string {
  const texts = words.map(String);
  return `*${texts.length}\r\n${texts.map((text) => `$${text.length}\r\n${text}\r\n`).join('')}`;
}

async function signIn(send: Send, { username, password, pathname }: URL): Promise<void> {
  const words = [username, password].filter(Boolean).map((text) => bytes(decodeURIComponent(text)));
  if (password) await send('AUTH', ...words);
  const database = Number(pathname.slice(1) || 0);
  if (database !== 0) await send('SELECT', database);
}

/** One character per byte, as everything here. */
function bytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
