import type { TrafficDeps } from '../routing/admit.ts';
import type { Address } from '../table/address.ts';

/**
 * Where the connections of a door lead while the router need not look at them: no lane is open,
 * nobody records what comes by it, and caller and service speak the same protocol without TLS.
 * Null otherwise.
 */
export function directTarget(
  { book, recorded }: Pick<TrafficDeps, 'book' | 'recorded'>,
  doorPort: number,
  spoken: 'http1' | 'http2',
): Address | null {
  const { table } = book();
  for (const _ in table.lanes) return null;
  const door = book().door(doorPort);
  const service = door && table.services[door.to];
  // All that comes by a port of a lane's own instance is the lane's, or is refused with it.
  if (!service || door.lane !== undefined) return null;
  if (door.from === null && (spoken === 'http2' || recorded.isWanted)) return null;
  const { protocol = 'http', scheme, host = '127.0.0.1', port } = service;
  const isHttp2 = protocol === 'h2c' || protocol === 'grpc';
  const isTls = scheme === 'https' || protocol === 'https';
  return isTls || isHttp2 !== (spoken === 'http2') ? null : { host, port };
}
