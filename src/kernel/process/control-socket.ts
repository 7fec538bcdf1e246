import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { makeRefuge, type SocketPlace } from '../files/socket-path.ts';

/**
 * For its own user only. The lock of the process is held: whatever lies at that path is left over
 * from one that was killed.
 */
export async function listenPrivately(server: Server, place: SocketPlace): Promise<void> {
  makeRefuge(place);
  rmSync(place.path, { force: true });
  const usual = process.umask(0o177);
  try {
    // Bound before this call returns, so children started later still get the usual mask.
    server.listen(place.path);
  } finally {
    process.umask(usual);
  }
  await once(server, 'listening');
}
