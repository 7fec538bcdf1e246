import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Log,
  listenPrivately,
  removeSocket,
  type SocketPlace,
  toFault,
} from '../../kernel/index.ts';
import { keeperLimits } from '../limits.ts';
import { readLines } from './line-reader.ts';
import type { KeeperResponse, RequestId } from './protocol.ts';
import { type KeeperHandlers, perform, readRequest } from './request.ts';

export interface KeeperServer {
  /** Takes no new connections; those there are go on. */
  stopListening(): void;
  /** Ends all connections once their answers are sent, or after a moment. */
  close(): Promise<void>;
}

export async function serve(
  place: SocketPlace,
  handlers: KeeperHandlers,
  log: Log,
): Promise<KeeperServer> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    void converse(socket, handlers, log);
  });
  server.maxConnections = keeperLimits.keeperConnectionsMax;
  server.on('error', (error) => log('error', 'socket-failed', { reason: error.message }));
  await listenPrivately(server, place);
  return {
    stopListening() {
      server.close();
      removeSocket(place);
    },
    close: () => endAll(sockets),
  };
}

async function converse(socket: Socket, handlers: KeeperHandlers, log: Log): Promise<void> {
  // A client may vanish at any time, also in the middle of an answer.
  socket.on('error', () => socket.destroy());
  const answers = new Set<Promise<void>>();
  try {
    for await (const line of readLines(socket)) {
      const answer = respond(line, handlers, log).then((it) => send(socket, it));
      answers.add(answer);
      void answer.then(() => answers.delete(answer));
      // A client that asks and never reads is not asked for more until it does.
      if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), closed(socket)]);
    }
  } catch (error) {
    send(socket, { id: null, fault: toFault(error).report() });
  }
  await Promise.all(answers);
  await hangUp(socket);
}

async function respond(
  line: Uint8Array,
  handlers: KeeperHandlers,
  log: Log,
): Promise<KeeperResponse> {
  let id: RequestId | null = null;
  try {
    const request = readRequest(line);
    id = request.id;
    return { id, result: await perform(request, handlers) };
  } catch (error) {
    const fault = toFault(error);
    log('warn', 'request-refused', { code: fault.code, reason: fault.message });
    return { id, fault: fault.report() };
  }
}

function send(socket: Socket, answer: KeeperResponse): void {
  if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}

const partingMsMax = 1_000;

/**
 * What the client still sends is read and dropped: closing on unread data would lose our answer.
 */
async function hangUp(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  socket.end();
  socket.resume();
  await Promise.race([closed(socket), delay(partingMsMax)]);
  socket.destroy();
}

async function endAll(sockets: ReadonlySet<Socket>): Promise<void> {
  // An answer that is ready by now is written in the course of this turn.
  await nextTurn();
  await Promise.all([...sockets].map(hangUp));
}
