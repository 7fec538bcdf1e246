import { once } from 'node:events';
import net from 'node:net';

/** Ports that nobody uses now. All are taken before any is given back, so no two are the same. */
export async function freePorts<const Name extends string>(
  names: readonly Name[],
): Promise<Record<Name, number>> {
  const servers = names.map(() => net.createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as net.AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return Object.fromEntries(names.map((name, index) => [name, ports[index]])) as Record<
    Name,
    number
  >;
}
