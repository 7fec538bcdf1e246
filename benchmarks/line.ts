import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * One connection of one client, with one request at a time. Written on the socket itself: a client
 * that costs as much as what it measures would leave that only half of a small machine.
 */
export class Line {
  readonly #socket: Socket;
  #received = '';
  #waiting: PromiseWithResolvers<string> | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('close', () => this.#waiting?.reject(new Error('the connection was closed')));
    socket.on('error', (error) => this.#waiting?.reject(error));
  }

  static async open(port: number): Promise<Line> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Line(socket);
  }

  /** The body of the answer, which has to be a success. */
  send(request: string): Promise<string> {
    this.#waiting = Promise.withResolvers<string>();
    this.#received = '';
    this.#socket.write(request, 'latin1');
    return this.#waiting.promise;
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const body = bodyIn(this.#received.slice(0, end), this.#received.slice(end + 4));
    if (body === undefined) return;
    const isSuccess = this.#received.startsWith('HTTP/1.1 200');
    if (isSuccess) this.#waiting?.resolve(body);
    else this.#waiting?.reject(new Error(this.#received.slice(0, 500)));
  }
}

/** Undefined as long as it is not complete. */
function bodyIn(head: string, rest: string): string | undefined {
  const length = /content-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return rest.length >= Number(length) ? rest : undefined;
  return rest.endsWith('0\r\n\r\n') ? rest : undefined;
}
