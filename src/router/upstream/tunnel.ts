import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Exchange } from '../exchange.ts';
import { endToEnd } from '../inbound/headers.ts';
import type { UpgradeCaller } from '../inbound/upgrade-caller.ts';
import { Relay } from './http1-upstream.ts';
import type { InstanceConnections } from './upstreams.ts';

/** `first` is what the caller has sent already, for the one behind the tunnel. */
export function openTunnel(
  exchange: Exchange,
  {
    upstreams,
    caller,
    first,
  }: { upstreams: InstanceConnections; caller: UpgradeCaller; first: Buffer },
): void {
  const { head } = exchange;
  const pool = upstreams.http1(exchange.route);
  pool.dispatch(
    { method: 'GET', path: head.path, headers: head.lines, body: null, upgrade: 'websocket' },
    new TunnelRelay(exchange, pool, (raw, upstream) => {
      exchange.upgraded(raw);
      const socket = caller.upgrade(['Upgrade', 'websocket', ...endToEnd(raw)]);
      join(socket, upstream, first);
      exchange.onCancel(() => upstream.destroy());
    }),
  );
}

class TunnelRelay extends Relay {
  readonly #onOpen: (raw: string[], upstream: Duplex) => void;

  constructor(
    exchange: Exchange,
    pool: Dispatcher,
    onOpen: (raw: string[], upstream: Duplex) => void,
  ) {
    super(exchange, pool);
    this.#onOpen = onOpen;
  }

  onUpgrade(_status: number, raw: Buffer[] | string[] | null, upstream: Duplex): void {
    const lines = (raw ?? []).map((text) => text.toString('latin1'));
    this.#onOpen(lines, upstream);
  }
}

function join(socket: Duplex, upstream: Duplex, first: Buffer): void {
  for (const [one, other] of [
    [socket, upstream],
    [upstream, socket],
  ] as const) {
    one.on('error', () => other.destroy());
    one.once('close', () => other.destroy());
    one.pipe(other);
  }
  if (first.length > 0) upstream.write(first);
}
