import { expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { createTagging } from './tagging.ts';

const text = `
routing: { header: x-lane }
services:
  pricing: { command: node a, port: 4302, aliases: ["pricing:80", pricing.internal, "old:*"] }
  stock: { address: "10.0.0.5:4303" }
  mail: { command: python3 b, port: 4304, tagging: baggage }
`;
const config = parseConfig(text, { path: 'surety.yaml', environment: {} });
const doors = [{ port: 5001, from: 'mail', to: 'pricing' }];
const secrets = { traceSecret: 'ab'.repeat(32), senderSecret: 'cd'.repeat(32) };
const known = { config, router: '127.0.0.1:1', ...secrets, doors };
const tagging = createTagging(known);

test('a service receives the router, the header, the secret and every service name', () => {
  expect(tagging('pricing', 'pricing/baseline/run_1', {})).toMatchObject({
    SURETY_SERVICE: 'pricing',
    SURETY_INSTANCE: 'pricing/baseline/run_1',
    SURETY_ROUTER: '127.0.0.1:1',
    SURETY_HEADER: 'x-lane',
    SURETY_TRACE_SECRET: 'ab'.repeat(32),
    SURETY_HOSTS: [
      'pricing:*=127.0.0.1:4302',
      'pricing:80=127.0.0.1:4302',
      'pricing.internal:*=127.0.0.1:4302',
      'old:*=127.0.0.1:4302',
      'stock:*=10.0.0.5:4303',
      'mail:*=127.0.0.1:4304',
    ].join(','),
  });
});

test('only a candidate receives a lane, and only the baseline shares its port', () => {
  const candidate = tagging('pricing', 'pricing/lane_7/run_1', {});
  const baseline = tagging('pricing', 'pricing/baseline/run_1', {});
  expect(candidate).toHaveProperty('SURETY_LANE', 'lane_7');
  expect(baseline).not.toHaveProperty('SURETY_LANE');
  expect(candidate).not.toHaveProperty('SURETY_REUSE_PORT');
  expect(baseline).toHaveProperty('SURETY_REUSE_PORT', '1');
});

test('a program that lanes run copies of gets direct addresses in the baseline', () => {
  const own = parseConfig(text.replace('tagging: baggage', 'tagging: baggage, callers: own'), {
    path: 'surety.yaml',
    environment: {},
  });
  const direct = createTagging({ ...known, config: own });
  const environment = {
    PRICING_URL: 'http://pricing.internal/',
    STOCK_URL: 'http://10.0.0.5:4303',
  };
  expect(direct('mail', 'mail/baseline/run_1', environment)).toEqual({
    PRICING_URL: 'http://127.0.0.1:4302/',
  });
  const doorsOfLane = new Map([['pricing', 6001]]);
  expect(direct('mail', 'mail/lane_7/run_1', environment, doorsOfLane)).toEqual({
    PRICING_URL: 'http://127.0.0.1:6001/',
  });
});

test.each([
  ['b3', { OTEL_PROPAGATORS: 'b3,baggage' }],
  ['tracecontext,baggage', {}],
  ['none', {}],
])('OpenTelemetry also passes baggage on where a program names propagators: %s', (own, added) => {
  const environment = { OTEL_PROPAGATORS: own };
  expect(tagging('mail', 'mail/baseline/run_1', environment)).toEqual(added);
  expect(tagging('pricing', 'pricing/lane_7/run_1', environment)).not.toHaveProperty(
    'OTEL_PROPAGATORS',
  );
});

test('a program that is not Node only gets door addresses', () => {
  expect(tagging('mail', 'mail/baseline/run_1', {})).toEqual({});
  const environment = { PRICING_URL: 'http://localhost:4302/', OTHER_URL: 'http://localhost:1/' };
  expect(tagging('mail', 'mail/lane_7/run_1', environment)).toEqual({
    PRICING_URL: 'http://127.0.0.1:5001/',
  });
});
