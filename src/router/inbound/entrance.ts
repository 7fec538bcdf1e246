import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  constants,
  createServer as createHttp2Server,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fault } from '../../kernel/index.ts';
import type { Exchange } from '../exchange.ts';
import { directTarget } from '../passthrough/direct-target.ts';
import { goaway, highestStream } from '../passthrough/http2-frames.ts';
import { PassingConnections } from '../passthrough/passing-connections.ts';
import { admit, type TrafficDeps } from '../routing/admit.ts';
import { forward } from '../upstream/forward.ts';
import { openTunnel } from '../upstream/tunnel.ts';
import type { InstanceConnections } from '../upstream/upstreams.ts';
import { isGrpcType, readHttp1Head, readHttp2Head } from './head.ts';
import { Http1Caller } from './http1-caller.ts';
import { Http2Caller } from './http2-caller.ts';
import { UpgradeCaller } from './upgrade-caller.ts';

/** A port that requests come in by. */
export interface Entrance {
  readonly server: Server;
  /** Closes idle connections at once, and busy ones when their requests are done. */
  drain(): void;
  closeAll(): void;
  /** Resolves when nothing is passed through that a new table sends elsewhere. */
  settle(): Promise<void>;
  /** Lets callers connect again whose requests may be passed through from now on. */
  release(): void;
}

/** Longer than any client keeps an idle connection, so that the router never closes one first. */
const keepAliveMs = 65_000;

export function createEntrance(deps: TrafficDeps, doorPort: number | null): Entrance {
  const { callers } = deps;
  const released = new WeakSet<Socket>();
  const server = createHttp1(deps, doorPort, released);
  const http2 = createHttp2(deps, doorPort);
  const held = new Map<ServerHttp2Session, Socket>();
  let accepted: Socket | undefined;
  http2.on('session', (session: ServerHttp2Session) => {
    const socket = accepted as Socket;
    hold(held, session, socket);
    countStreams(session, socket, callers);
  });
  const passing = doorPort === null ? undefined : new PassingConnections(deps, doorPort);
  const unknown = new Set<Socket>();
  const sockets = new Set<Socket>();
  const [acceptHttp1] = server.listeners('connection') as [(socket: Socket) => void];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!callers.add(socket)) return void socket.destroy();
    unknown.add(socket);
    sockets.add(socket);
    socket.once('close', () => {
      unknown.delete(socket);
      sockets.delete(socket);
    });
    const accept = (isHttp2: boolean): void => {
      // The session begins before this returns.
      accepted = socket;
      if (isHttp2) http2.emit('connection', socket);
      else Reflect.apply(acceptHttp1, server, [socket]);
    };
    sniffHttp2(socket, (isHttp2) => {
      unknown.delete(socket);
      if (!passing?.add(socket, isHttp2, () => accept(isHttp2))) accept(isHttp2);
    });
  });
  return {
    server,
    settle: async () => passing?.settle(),
    release() {
      if (doorPort === null) return;
      if (directTarget(deps, doorPort, 'http1')) for (const socket of sockets) released.add(socket);
      if (directTarget(deps, doorPort, 'http2')) for (const one of held) askToReconnect(...one);
    },
    drain() {
      for (const socket of unknown) socket.destroy();
      passing?.drain();
      for (const session of held.keys()) session.close();
      server.closeIdleConnections();
    },
    closeAll() {
      // Those that have become tunnels are on no other list.
      for (const socket of sockets) socket.destroy();
    },
  };
}

function countStreams(
  session: ServerHttp2Session,
  socket: Socket,
  callers: TrafficDeps['callers'],
): void {
  session.on('stream', (stream: ServerHttp2Stream) => {
    callers.begin(socket);
    stream.once('close', () => callers.end(socket));
  });
}

function hold(
  held: Map<ServerHttp2Session, Socket>,
  session: ServerHttp2Session,
  socket: Socket,
): void {
  held.set(session, socket);
  // Requests in progress are answered; a client that has left its half sends no other.
  socket.once('end', () => session.close());
  session.once('close', () => held.delete(session));
  session.on('error', () => {});
}

/**
 * Closes a session when its caller has heard that it may open no more streams, so that none is
 * refused. Node can only say this and refuse new streams at once, so the frame is written past it:
 * what Node hands to a socket ends with a whole frame.
 */
function askToReconnect(session: ServerHttp2Session, socket: Socket): void {
  if (session.closed || session.destroyed) return;
  socket.write(goaway(highestStream));
  session.ping(() => session.close());
}

function createHttp1(
  deps: TrafficDeps,
  doorPort: number | null,
  released: WeakSet<Socket>,
): Server {
  const server = createServer({
    requireHostHeader: false,
    keepAliveTimeout: keepAliveMs,
    // Others are offers (h2c, TLS) that a server may pass over; this one can't do without.
    shouldUpgradeCallback: isWebSocket,
  });
  // None is passed over silently, as it would be after the 2,000th: it might be the key.
  server.maxHeadersCount = 0;
  // An upload or a stream may take as long as it takes.
  server.requestTimeout = 0;
  const answering = new WeakMap<Socket, ServerResponse>();
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    deps.callers.begin(socket);
    answering.set(socket, response);
    response.once('close', () => deps.callers.end(socket));
    if (released.has(socket)) response.shouldKeepAlive = false;
    admit(
      {
        caller: new Http1Caller(response),
        body: request,
        doorPort,
        readHead: () => readHttp1Head(request),
        send: (exchange) => forward(exchange, deps.upstreams),
      },
      deps,
    );
  };
  server.on('request', serve);
  // Answered by the service, not by us: whether to go on is for it to say.
  server.on('checkContinue', serve);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, first: Buffer) => {
    const earlier = answering.get(request.socket);
    // Sent before the answer to an earlier request: there is no connection to upgrade then.
    if (earlier && !earlier.closed) {
      return void earlier.once('close', () =>
        socket
          .on('error', () => {})
          .end()
          .resume(),
      );
    }
    deps.callers.begin(request.socket);
    const caller = new UpgradeCaller(request, socket);
    const readHead = () => readHttp1Head(request);
    const send = (exchange: Exchange): void => {
      if (isWebSocket(request)) openTunnel(exchange, { upstreams: deps.upstreams, caller, first });
      else passOver(exchange, deps.upstreams);
    };
    admit({ caller, body: null, doorPort, readHead, send }, deps);
  });
  return server;
}

/** Before Node 24.9 every offer comes as an upgrade, and its body is lost to us. */
function passOver(exchange: Exchange, upstreams: InstanceConnections): void {
  const { hasBody, headers } = exchange.head;
  if (hasBody) throw fault('UPGRADE_UNSUPPORTED', { protocol: String(headers.upgrade) });
  forward(exchange, upstreams);
}

/** Only one that could be nothing else: what is tunnelled is no longer looked at. */
function isWebSocket({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length']);
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && !hasBody;
}

function createHttp2(deps: TrafficDeps, doorPort: number | null): Http2Server {
  const server = createHttp2Server();
  server.on(
    'stream',
    (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number): void => {
      const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
      admit(
        {
          caller: new Http2Caller(stream, isGrpcType(headers['content-type'])),
          body: stream,
          doorPort,
          readHead: () => readHttp2Head(headers, hasBody),
          send: (exchange) => forward(exchange, deps.upstreams),
        },
        deps,
      );
    },
  );
  return server;
}

/** How every HTTP/2 connection begins; no method of HTTP/1 is called PRI. */
const preface = Buffer.from('PRI ', 'latin1');

/** As long as Node waits for the head of a request. */
const firstBytesMsMax = 60_000;

/** Looks at the first bytes, puts them back and says whether they are HTTP/2. */
function sniffHttp2(socket: Socket, onKnown: (isHttp2: boolean) => void): void {
  const leave = (): void => void socket.destroy();
  socket.setTimeout(firstBytesMsMax, leave);
  socket.once('error', leave);
  // The server would keep its half open until the client, which is gone, sends a request.
  socket.once('end', leave);
  const inspect = (bytes: Buffer): void => {
    socket.pause();
    const isHttp2 = startsAlike(bytes);
    if (isHttp2 && bytes.length < preface.length) {
      socket.once('data', (more: Buffer) => inspect(Buffer.concat([bytes, more])));
      return void socket.resume();
    }
    socket.setTimeout(0);
    socket.off('timeout', leave);
    socket.off('error', leave);
    socket.off('end', leave);
    socket.unshift(bytes);
    onKnown(isHttp2);
    // HTTP/2 reads by itself; what flowed past it now would be lost.
    if (!isHttp2) socket.resume();
  };
  socket.once('data', inspect);
}

function startsAlike(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, preface.length);
  return bytes.subarray(0, length).equals(preface.subarray(0, length));
}
