import { once } from 'node:events';
import { rmSync } from 'node:fs';
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

/** The lock is held: whatever lies at that path is left over from a router that was killed. */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  const usual = process.umask(0o177);
  try {
    // Bound before this call returns.
    server.listen(path);
  } finally {
    process.umask(usual);
  }
  await once(server, 'listening');
}
