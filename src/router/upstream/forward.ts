import type { Exchange } from '../exchange.ts';
import { sendHttp1 } from './http1-upstream.ts';
import { sendHttp2 } from './http2-upstream.ts';
import { isPlain, sendPlain } from './plain-upstream.ts';
import type { InstanceConnections } from './upstreams.ts';

/** Passes everything on as it comes, in both directions. */
export function forward(exchange: Exchange, upstreams: InstanceConnections): void {
  if (speaksHttp2(exchange)) sendHttp2(exchange, upstreams.http2(exchange.route));
  else if (isPlain(exchange)) sendPlain(exchange);
  else sendHttp1(exchange, upstreams.http1(exchange.route));
}

/** gRPC is nothing else; others speak what the service does, or what their caller does to it. */
function speaksHttp2({ head, route, caller }: Exchange): boolean {
  return head.isGrpc || (route.speaks ?? caller.protocol) === 'http2';
}
