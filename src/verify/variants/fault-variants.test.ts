import { describe, expect, test } from 'vitest';
import { request as asked } from '../compare/recorded.fixture.ts';
import { faultVariants } from './fault-variants.ts';
import type { KnownRequest } from './known-requests.ts';

function known(name: string, method = 'POST', isInner = false): KnownRequest {
  const one = { method, path: '/trades', headers: [], body: null, status: 201, answer: null };
  return { requests: [one], name, body: null, isInner };
}

const trades = known('outside → orders POST /trades');
const hops = asked([
  { to: 'fees', path: '/fees' },
  { to: 'risk', path: '/limits', protocol: 'grpc' },
  { to: 'nats', path: 'orders.paid', protocol: 'message' },
  { from: 'pricing', to: 'validation' },
]);

describe('requests while a service fails', () => {
  test('are sent for each service that a changed one calls, and for no message', () => {
    const variants = faultVariants([trades], { hops, changed: ['orders'] }, 10);
    const sent = variants.map(({ what, requests }) => [what, requests.at(-1)?.headers]);
    expect(sent).toEqual([
      ['while fees answers 503', [['baggage', 'surety-fault=orders>fees:status=503']]],
      ['while risk answers 503', [['baggage', 'surety-fault=orders>risk:status=503']]],
    ]);
  });

  test('begin with effects, up to a limit', () => {
    const read = known('outside → orders GET /trades', 'GET');
    const reading = asked([{ to: 'fees' }], { method: 'GET' });
    const all = { hops: [...reading, ...hops], changed: ['orders'] };
    const [first] = faultVariants([read, trades], all, 1);
    expect(first?.hop).toBe(trades.name);
    expect(faultVariants([read, trades], all, 9)).toHaveLength(3);
  });

  test('are none where no changed service calls another, or the request is not from outside', () => {
    expect(faultVariants([trades], { hops, changed: ['fees'] }, 10)).toEqual([]);
    const inner = known(trades.name, 'POST', true);
    expect(faultVariants([inner], { hops, changed: ['orders'] }, 10)).toEqual([]);
  });
});
