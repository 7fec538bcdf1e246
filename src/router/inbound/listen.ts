import { once } from 'node:events';
import type { Server } from 'node:http';
import { fault } from '../../kernel/index.ts';

export async function listenTraffic(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    throw isTaken ? fault('ROUTER_PORT_TAKEN', { port }, error) : error;
  }
}
