import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Http1Caller } from './http1-caller.ts';

/** Whoever asked for a WebSocket, and may get an ordinary answer instead. */
export class UpgradeCaller extends Http1Caller {
  readonly #socket: Duplex;
  readonly #response: ServerResponse;
  #isUpgraded = false;

  constructor(request: IncomingMessage, socket: Duplex) {
    const response = answerOn(request, socket);
    super(response, 'websocket');
    this.#socket = socket;
    this.#response = response;
  }

  override get status(): number {
    return this.#isUpgraded ? 101 : super.status;
  }

  /** From here on the connection is not ours to speak on. */
  upgrade(lines: readonly string[]): Duplex {
    this.#isUpgraded = true;
    const socket = this.#socket;
    this.#response.detachSocket(socket as never);
    socket.once('close', () => this.#response.emit('close'));
    const named = lines.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${named.join('')}\r\n`,
      'latin1',
    );
    return socket;
  }

  override abort(): void {
    this.#socket.destroy();
  }
}

/** An answer to a request whose connection the server has let go of. */
function answerOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as never);
  // The rest of this connection may be HTTP or not, so it is thrown away. Unread, it would hide
  // that the client has left.
  response.once('finish', () => socket.end().resume());
  socket.on('error', () => {});
  return response;
}
