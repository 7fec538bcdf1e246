import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface RelayTarget {
  readonly host: string;
  readonly port: number;
}

/** Passes connections on, byte by byte; `admits` says whose. */
export async function listenRelay(
  at: { readonly host: string; readonly port: number },
  target: () => RelayTarget,
  admits: (remote: string) => Promise<boolean> | boolean = () => true,
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    void pass(socket, target, admits);
  });
  server.listen(at.port, at.host);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

async function pass(
  socket: Socket,
  target: () => RelayTarget,
  admits: (remote: string) => Promise<boolean> | boolean,
): Promise<void> {
  socket.on('error', () => undefined);
  const remote = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  if (!(await Promise.resolve(admits(remote)).catch(() => false))) {
    socket.destroy();
    return;
  }
  const upstream = connect({ ...target(), noDelay: true });
  upstream.on('error', () => socket.destroy());
  socket.on('close', () => upstream.destroy());
  upstream.on('close', () => socket.destroy());
  socket.pipe(upstream);
  upstream.pipe(socket);
  socket.resume();
}

/** The address of this machine from which packets to that one leave: there it can answer. */
export async function localAddressTowards(host: string): Promise<string> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    // Connecting a datagram socket sends nothing; it only chooses the route.
    socket.connect(9, host);
    await once(socket, 'connect');
    return socket.address().address;
  } finally {
    socket.close();
  }
}
