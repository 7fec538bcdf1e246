import { type ClientHttp2Session, connect } from 'node:http2';
import { type Dispatcher, Pool } from 'undici';
import { routerLimits } from '../limits.ts';
import type { Route } from '../routing/route.ts';
import type { Address } from '../table/address.ts';
import { formatAddress } from '../table/address.ts';
import type { RouteTable } from '../table/table.ts';

/**
 * Shorter than any service keeps an idle connection without saying so: it must never be closed at
 * the moment in which a request is sent.
 */
const idleMsMax = 1_000;

interface Upstream {
  readonly instance: string;
  readonly pool: Pool;
  session: ClientHttp2Session | undefined;
}

/** Connections to instances, kept for the next request. */
export class InstanceConnections {
  readonly #open = new Map<string, Upstream>();

  http1(route: Route): Dispatcher {
    return this.#find(route).pool;
  }

  http2(route: Route): ClientHttp2Session {
    const upstream = this.#find(route);
    if (!upstream.session || upstream.session.closed || upstream.session.destroyed) {
      upstream.session = openSession(route, () => {
        upstream.session = undefined;
      });
    }
    return upstream.session;
  }

  /** Drops connections to candidates that are in no lane; requests in progress there may finish. */
  keep({ lanes }: RouteTable): void {
    const candidates = Object.values(lanes).flatMap(({ overrides }) => Object.values(overrides));
    const instances = new Set(['baseline', ...candidates.map(({ instance }) => instance)]);
    this.#closeWhere(({ instance }) => !instances.has(instance));
  }

  close(): void {
    this.#closeWhere(() => true);
  }

  #find(route: Route): Upstream {
    // By instance as well: a port that another instance has got since is another place.
    const name = `${route.scheme} ${route.instance} ${route.host} ${route.port}`;
    const known = this.#open.get(name);
    if (known) return known;
    if (this.#open.size >= routerLimits.routerUpstreamsMax) {
      this.#closeWhere(({ instance }) => instance === 'external');
    }
    const upstream = { instance: route.instance, pool: openPool(route), session: undefined };
    this.#open.set(name, upstream);
    return upstream;
  }

  #closeWhere(isLeft: (upstream: Upstream) => boolean): void {
    for (const [name, upstream] of this.#open) {
      if (!isLeft(upstream)) continue;
      this.#open.delete(name);
      void upstream.pool.close().catch(() => undefined);
      upstream.session?.close();
    }
  }
}

function openPool(route: Route): Pool {
  return new Pool(originOf(route), {
    // As many connections as there are requests at once, each for one request at a time.
    connections: null,
    pipelining: 1,
    keepAliveTimeout: idleMsMax,
    keepAliveMaxTimeout: idleMsMax,
    // A service, a stream or an upload may take as long as it takes.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { rejectUnauthorized: provesItself(route) },
  });
}

/** A service of this machine is known by its port. A third party has to prove who it is. */
function provesItself({ kind }: Route): boolean {
  return kind === 'external';
}

function openSession(route: Route, onGone: () => void): ClientHttp2Session {
  const session = connect(originOf(route), { rejectUnauthorized: provesItself(route) });
  // Streams tell their exchanges; unheard, this would end the process.
  session.on('error', () => {});
  session.once('goaway', onGone);
  session.once('close', onGone);
  session.setTimeout(idleMsMax, () => session.close());
  session.unref();
  return session;
}

function originOf({ scheme, ...address }: Route & Address): string {
  return `${scheme}://${formatAddress(address)}`;
}
