import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../kernel/index.ts';
import { readTable } from './read-table.ts';
import { emptyTable } from './table.ts';

const lane: JsonObject = {
  lane: 'lane_1',
  overrides: { pricing: { port: 5_001, instance: 'pricing/lane_1/ab' } },
};
const table: JsonObject = {
  ingress: 'edge',
  services: { edge: { port: 4_300, scheme: 'https' }, pricing: { port: 4_302 } },
  lanes: { k1: lane },
};

/** All that may be there but need not. */
const full: JsonObject = {
  ingress: 'edge',
  header: 'x-lane',
  traceSecret: 'ab'.repeat(32),
  services: {
    edge: { port: 4_300, protocol: 'https', aliases: ['edge.internal:*', 'edge.internal:80'] },
    pricing: { port: 4_300, host: '10.0.0.5', protocol: 'grpc' },
    quotes: { port: 4_300, host: 'fd00::5' },
  },
  doors: [
    { port: 4_400, from: null, to: 'edge' },
    { port: 4_401, from: 'edge', to: 'pricing' },
  ],
  lanes: {
    k1: {
      lane: 'lane_1',
      overrides: { pricing: { port: 5_001, instance: 'pricing/lane_1/ab', protocol: 'http' } },
      ingress: 'pricing',
      expiresAt: 1_800_000_000_000,
      trace: '0000ab12',
    },
  },
};

const withService = (more: JsonObject): JsonObject => ({
  ...table,
  services: { edge: { port: 1, ...more } },
  lanes: {},
});

const withLane = (more: JsonObject): JsonObject => ({
  ...table,
  lanes: { k1: { ...lane, ...more } },
});

const withDoor = (more: JsonObject): JsonObject => ({
  ...table,
  doors: [{ port: 4_400, from: 'edge', to: 'pricing', ...more }],
});

const withAlias = (alias: string): JsonObject => ({
  ...table,
  services: { edge: { port: 1, aliases: [alias] }, pricing: { port: 2, aliases: ['pricing:80'] } },
  lanes: {},
});

describe('a table', () => {
  test.each<[string, JsonObject]>([
    ['with the usual fields', table],
    ['with every field', full],
    ['without services and lanes', { ...emptyTable } as unknown as JsonObject],
    ['with a lane that changes nothing', withLane({ overrides: {} })],
    ['with lanes that share a candidate', { ...table, lanes: { k1: lane, k2: lane } }],
    ['with the last port', { ...table, services: { edge: { port: 65_535 } }, lanes: {} }],
  ])('%s is accepted unchanged', (_, value) => {
    expect(readTable(value)).toEqual(value);
  });

  test.each<[string, Json, string]>([
    ['is a list', [], 'must be an object'],
    ['has no lanes', { ingress: '', services: {} }, 'lanes must be an object'],
    ['has an unknown field', { ...table, lane: {} }, 'not known: lane'],
    ['has no ingress', { services: {}, lanes: {} }, 'ingress must be a string'],
    [
      'has a lane with an ingress that is no service',
      withLane({ ingress: 'front' }),
      'lanes.k1.ingress names no service: front',
    ],
    ['has an ingress that is no service', { ...table, ingress: 'front' }, 'no service: front'],
    ['has a port of 0', { ...table, services: { edge: { port: 0 } }, lanes: {} }, '1 to 65535'],
    ['has a port of 65536', { ...table, services: { edge: { port: 65_536 } } }, '1 to 65535'],
    ['has a port as text', { ...table, services: { edge: { port: '80' } } }, '1 to 65535'],
    [
      'has an unknown scheme',
      { ...table, services: { edge: { port: 1, scheme: 'ws' } } },
      'scheme',
    ],
    ['has an unknown protocol', withService({ protocol: 'spdy' }), 'http or https or h2c or grpc'],
    ['has an invalid host', withService({ host: 'a b' }), 'services.edge.host'],
    ['has a host that is not a string', withService({ host: 1 }), 'services.edge.host'],
    ['has an alias without a port', withService({ aliases: ['pricing'] }), 'host:port or host:*'],
    ['has an alias without a host', withService({ aliases: [':*'] }), 'host:port or host:*'],
    ['has aliases that are not a list', withService({ aliases: 'pricing:80' }), 'must be a list'],
    ['has an alias of two services', withAlias('pricing:80'), 'pricing:80 belongs to both'],
    [
      'has an alias of two services in different case',
      withAlias('PRICING:80'),
      'pricing:80 belongs to both',
    ],
    ['has a header with capital letters', { ...table, header: 'X-Lane' }, 'header must be'],
    [
      'has a header that HTTP itself uses',
      { ...table, header: 'content-length' },
      'meaning of its own',
    ],
    [
      'has a header that Surety itself uses',
      { ...table, header: 'x-surety-to' },
      'meaning of its own',
    ],
    ['has a short secret', { ...table, traceSecret: 'ab' }, 'traceSecret must be'],
    ['has a door to an unknown service', withDoor({ to: 'front' }), 'names no service: front'],
    ['has a door from an unknown service', withDoor({ from: 'front' }), 'names no service: front'],
    ['has a door with an invalid caller', withDoor({ from: 1 }), 'doors.0.from must be'],
    ['has a door on the port of a service', withDoor({ port: 4_302 }), 'port 4302 belongs to both'],
    [
      'has a door on the port of a candidate',
      withDoor({ port: 5_001 }),
      'port 5001 belongs to both',
    ],
    ['has a lane with an invalid end', withLane({ expiresAt: 1.5 }), 'must be an instant'],
    ['has an invalid trace number', withLane({ trace: '12' }), 'lanes.k1.trace'],
    [
      'has the same trace number in two lanes',
      {
        ...table,
        lanes: { k1: { ...lane, trace: 'ab12ab12' }, k2: { ...lane, trace: 'ab12ab12' } },
      },
      'trace ab12ab12 belongs to both k1 and k2',
    ],
    [
      'has a service with an invalid name',
      { ...table, services: { 'a b': { port: 1 } } },
      'its name',
    ],
    ['has an invalid key', { ...table, lanes: { 'a b': lane } }, 'must have a key'],
    ['has a key of 65 characters', { ...table, lanes: { ['k'.repeat(65)]: lane } }, 'have a key'],
    ['has a lane without an id', withLane({ lane: 'x' }), 'lanes.k1.lane'],
    ['has a misspelt override', withLane({ override: {} }), 'not known: override'],
    [
      'overrides an unknown service',
      withLane({ overrides: { prices: { port: 1, instance: 'i' } } }),
      'no service: prices',
    ],
    [
      'has an override without an instance',
      withLane({ overrides: { pricing: { port: 1 } } }),
      'instance must be a string',
    ],
    [
      'has a candidate on the port of a baseline',
      withLane({ overrides: { pricing: { port: 4_302, instance: 'i' } } }),
      'port 4302 belongs to both',
    ],
    [
      'has two candidates on one port',
      {
        ...table,
        lanes: {
          k1: lane,
          k2: { lane: 'lane_2', overrides: { edge: { port: 5_001, instance: 'i' } } },
        },
      },
      'port 5001 belongs to both',
    ],
    [
      'has two services on one port',
      { ...table, services: { edge: { port: 1 }, pricing: { port: 1 } }, lanes: {} },
      'port 1 belongs to both',
    ],
  ])('that %s is refused', (_, value, reason) => {
    const refusal = { code: 'ROUTER_REQUEST_INVALID', message: expect.stringContaining(reason) };
    expect(() => readTable(value)).toThrow(expect.objectContaining(refusal));
  });
});
