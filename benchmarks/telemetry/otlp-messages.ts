import { randomBytes } from 'node:crypto';
import { requestType } from './otlp-schema.ts';

const services = ['gateway', 'orders', 'pricing', 'ledger', 'risk'];
const routes = ['/orders', '/orders/:id', '/quotes/:symbol', '/accounts/:id/positions', '/health'];

type Attribute = { key: string; value: Record<string, string | number> };

const text = (key: string, stringValue: string): Attribute => ({ key, value: { stringValue } });
const whole = (key: string, intValue: number): Attribute => ({ key, value: { intValue } });

/** As SDKs send them: ten attributes, of which half say something else in each span. */
function makeSpan(n: number, nowMs: number): object {
  const route = routes[n % routes.length] as string;
  const startMs = nowMs - (n % 1_000);
  return {
    traceId: randomBytes(16),
    spanId: randomBytes(8),
    parentSpanId: n % 3 === 0 ? new Uint8Array() : randomBytes(8),
    name: `GET ${route}`,
    kind: n % 2 === 0 ? 2 : 3,
    startTimeUnixNano: protobufNanoseconds(startMs),
    endTimeUnixNano: protobufNanoseconds(startMs + (n % 50)),
    attributes: [
      text('http.request.method', 'GET'),
      text('http.route', route),
      whole('http.response.status_code', n % 100 === 0 ? 500 : 200),
      text('url.path', `/orders/${n}`),
      text('url.scheme', 'http'),
      text('server.address', 'pricing.internal'),
      whole('server.port', 4302),
      text('user_agent.original', 'undici/7.3.0 node/24'),
      text('client.address', `10.0.${n % 256}.${(n * 7) % 256}`),
      text('enduser.id', `user-${n % 10_000}`),
    ],
    status: n % 100 === 0 ? { code: 2, message: 'upstream failed' } : {},
  };
}

/** 64 bits in the form that protobufjs encodes: two halves. */
function protobufNanoseconds(ms: number): { low: number; high: number; unsigned: boolean } {
  const ns = BigInt(ms) * 1_000_000n;
  return { low: Number(ns & 0xffff_ffffn) | 0, high: Number(ns >> 32n) | 0, unsigned: true };
}

/** Messages of OTLP in protobuf, of so many spans each. */
export function makeMessages(count: number, spansEach: number, nowMs: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => {
    const spans = Array.from({ length: spansEach }, (_, n) =>
      makeSpan(index * spansEach + n, nowMs),
    );
    const service = services[index % services.length] as string;
    const attributes = [text('service.name', service), text('service.instance.id', `${service}/1`)];
    const scopeSpans = [{ scope: { name: 'http', version: '1' }, spans }];
    const message = { resourceSpans: [{ resource: { attributes }, scopeSpans }] };
    return Buffer.from(requestType.encode(requestType.create(message)).finish());
  });
}
