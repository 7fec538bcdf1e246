import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../kernel/index.ts';
import { emptyTable, readTable } from './table.ts';

const lane: JsonObject = {
  lane: 'lane_1',
  overrides: { pricing: { port: 5_001, instance: 'pricing/lane_1/ab' } },
};
const table: JsonObject = {
  ingress: 'edge',
  services: { edge: { port: 4_300, scheme: 'https' }, pricing: { port: 4_302 } },
  lanes: { k1: lane },
};

const withLane = (more: JsonObject): JsonObject => ({
  ...table,
  lanes: { k1: { ...lane, ...more } },
});

describe('a table', () => {
  test.each<[string, JsonObject]>([
    ['with everything', table],
    ['with nothing', { ...emptyTable } as unknown as JsonObject],
    ['with a lane that changes nothing', withLane({ overrides: {} })],
    ['with lanes that share a candidate', { ...table, lanes: { k1: lane, k2: lane } }],
    ['with the last port', { ...table, services: { edge: { port: 65_535 } }, lanes: {} }],
  ])('%s is taken as it is', (_, value) => {
    expect(readTable(value)).toEqual(value);
  });

  test.each<[string, Json, string]>([
    ['is a list', [], 'must be an object'],
    ['has no lanes', { ingress: '', services: {} }, 'lanes must be an object'],
    ['has an unknown field', { ...table, lane: {} }, 'not known: lane'],
    ['has no ingress', { services: {}, lanes: {} }, 'ingress must be a string'],
    ['has an ingress that is no service', { ...table, ingress: 'front' }, 'no service: front'],
    ['has a port of 0', { ...table, services: { edge: { port: 0 } }, lanes: {} }, '1 to 65535'],
    ['has a port of 65536', { ...table, services: { edge: { port: 65_536 } } }, '1 to 65535'],
    ['has a port as text', { ...table, services: { edge: { port: '80' } } }, '1 to 65535'],
    ['has a strange scheme', { ...table, services: { edge: { port: 1, scheme: 'ws' } } }, 'scheme'],
    ['has a service of a strange name', { ...table, services: { 'a b': { port: 1 } } }, 'its name'],
    ['has a strange key', { ...table, lanes: { 'a b': lane } }, 'must have a key'],
    ['has a key of 65 characters', { ...table, lanes: { ['k'.repeat(65)]: lane } }, 'have a key'],
    ['has a lane without an id', withLane({ lane: 'x' }), 'lanes.k1.lane'],
    ['has a misspelt override', withLane({ override: {} }), 'not known: override'],
    [
      'overrides what is no service',
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
