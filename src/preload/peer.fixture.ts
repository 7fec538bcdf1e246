import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import {
  createServer as createHttp2Server,
  type IncomingHttpHeaders as Http2Headers,
  type Http2Server,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net';
import { WebSocketServer } from 'ws';

export interface Met {
  readonly path: string;
  readonly protocol: 'http1' | 'http2' | 'grpc' | 'websocket';
  readonly headers: IncomingHttpHeaders | Http2Headers;
}

/** Speaks everything on one port, as the router does, answers its name, and remembers. */
export class Peer implements AsyncDisposable {
  readonly met: Met[] = [];
  readonly #name: string;
  readonly #sockets = new Set<Socket>();
  readonly #http1: Server = createServer();
  readonly #http2: Http2Server = createHttp2Server();
  readonly #websocket = new WebSocketServer({ noServer: true });
  readonly #door = createNetServer((socket) => this.#welcome(socket));

  private constructor(name: string) {
    this.#name = name;
    this.#http1.on('request', ({ url = '', headers }, response) => {
      if (headers['x-surety-if-changed']) {
        return response.setHeader('x-surety-changed', 'no').end();
      }
      this.met.push({ path: url, protocol: 'http1', headers });
      if (headers.accept !== 'text/event-stream') return response.end(name);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.write(`data: ${name}\n\n`);
    });
    this.#http1.on('upgrade', (request, socket, head) => {
      this.met.push({ path: request.url ?? '', protocol: 'websocket', headers: request.headers });
      this.#websocket.handleUpgrade(request, socket, head, (opened) => opened.send(name));
    });
    this.#http2.on('stream', (stream, headers) => this.#answer(stream, headers));
  }

  static async open(name: string): Promise<Peer> {
    const peer = new Peer(name);
    peer.#door.listen(0, '127.0.0.1');
    await once(peer.#door, 'listening');
    return peer;
  }

  get address(): string {
    return `127.0.0.1:${(this.#door.address() as AddressInfo).port}`;
  }

  take(): Met[] {
    return this.met.splice(0);
  }

  #welcome(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
    socket.once('data', (first) => {
      socket.pause();
      socket.unshift(first);
      const server = first.toString('latin1').startsWith('PRI ') ? this.#http2 : this.#http1;
      server.emit('connection', socket);
      process.nextTick(() => socket.resume());
    });
  }

  #answer(stream: ServerHttp2Stream, headers: Http2Headers): void {
    const isGrpc = headers['content-type'] === 'application/grpc';
    const { ':path': path = '' } = headers;
    this.met.push({ path, protocol: isGrpc ? 'grpc' : 'http2', headers });
    stream.on('error', () => {}).resume();
    if (!isGrpc) return void stream.end(this.#name);
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    return void stream.end(grpcMessage(this.#name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#door.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** Not compressed, the length in four bytes, the message. */
function grpcMessage(text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}
