import { connect, type Socket } from 'node:net';
import { HttpError } from './http-error.ts';
import { type Reply, readReply } from './redis-reply.ts';

export interface Redis {
  /** One command, such as `ask('HGET', 'flags', 'fees')`. */
  ask(...words: string[]): Promise<Reply>;
  stop(): void;
}

type Waiting = PromiseWithResolvers<Reply>;

/** One connection, opened when it is needed and again after it was lost. */
export function connectRedis(url: string): Redis {
  const { hostname, port, password, pathname } = new URL(url);
  const where = `${hostname}:${port || 6379}`;
  const greeting = [
    ...(password ? [['AUTH', decodeURIComponent(password)]] : []),
    ...(pathname.length > 1 ? [['SELECT', pathname.slice(1)]] : []),
  ];
  let open: Connection | undefined;
  return {
    async ask(...words) {
      if (!open?.isUsable()) {
        open = new Connection(connect(Number(port || 6379), hostname), where);
        for (const command of greeting) void open.send(command).catch(() => undefined);
      }
      return open.send(words);
    },
    stop: () => open?.end(),
  };
}

class Connection {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  #received: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, where: string) {
    this.#socket = socket;
    const lost = (why: string): void => this.#fail(`Redis at ${where} did not answer: ${why}.`);
    socket.on('data', (bytes) => this.#read(bytes));
    socket.on('error', (error: NodeJS.ErrnoException) => lost(error.code ?? error.message));
    socket.on('close', () => lost('the connection was closed'));
  }

  isUsable(): boolean {
    return !this.#socket.destroyed;
  }

  send(words: readonly string[]): Promise<Reply> {
    const waiting = Promise.withResolvers<Reply>();
    this.#waiting.push(waiting);
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    this.#socket.write(`*${words.length}\r\n${parts.join('')}`);
    return waiting.promise;
  }

  end(): void {
    this.#socket.end();
  }

  #read(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (let read = this.#next(); read; read = this.#next()) {
      const waiting = this.#waiting.shift();
      this.#received = this.#received.subarray(read.end);
      if (read.reply instanceof Error) waiting?.reject(read.reply);
      else waiting?.resolve(read.reply);
    }
  }

  #next(): ReturnType<typeof readReply> {
    try {
      return readReply(this.#received, 0);
    } catch (error) {
      this.#fail((error as Error).message);
      this.#socket.destroy();
      return undefined;
    }
  }

  #fail(reason: string): void {
    for (const { reject } of this.#waiting.splice(0)) {
      reject(new HttpError(502, 'redis_unavailable', reason));
    }
  }
}
