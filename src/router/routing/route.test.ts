import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { createAddressBook } from '../table/address-book.ts';
import type { RouteTable } from '../table/table.ts';
import { route } from './route.ts';

const table: RouteTable = {
  ingress: 'edge',
  services: {
    edge: { port: 4_300, scheme: 'https' },
    pricing: { port: 4_302, aliases: ['prices.internal:80', 'Prices.example:*', '[fd00::7]:81'] },
    staging: { port: 4_305, host: '10.0.0.5' },
  },
  doors: [
    { port: 4_400, from: 'edge', to: 'pricing' },
    { port: 4_401, from: null, to: 'edge' },
    { port: 4_402, from: 'pricing', to: 'edge' },
  ],
  lanes: {
    k1: {
      lane: 'lane_1',
      overrides: { pricing: { port: 5_001, instance: 'pricing/lane_1/a' } },
    },
    k2: {
      lane: 'lane_2',
      overrides: { pricing: { port: 5_002, instance: 'pricing/lane_2/b' } },
    },
    k3: { lane: 'lane_3', overrides: {} },
    k9: {
      lane: 'lane_4',
      overrides: { pricing: { port: 5_004, instance: 'pricing/lane_4/c' } },
      ingress: 'pricing',
    },
    plain: {
      lane: 'lane_5',
      overrides: { edge: { port: 5_005, instance: 'edge/lane_5/d', protocol: 'http' } },
    },
  },
};
const book = createAddressBook(table);

const go = (key: string, to?: string, scheme?: string) =>
  route(book, {
    now: 0,
    headers: {
      baggage: `surety-lane=${key}`,
      ...(to === undefined ? {} : { 'x-surety-to': to }),
      ...(scheme === undefined ? {} : { 'x-surety-scheme': scheme }),
    },
  });

describe('a keyed request', () => {
  test("from outside goes to the ingress in the ingress's own protocol", () => {
    expect(go('k1')).toEqual({
      key: 'k1',
      lane: 'lane_1',
      to: 'edge',
      host: '127.0.0.1',
      port: 4_300,
      instance: 'baseline',
      kind: 'baseline',
      scheme: 'https',
      speaks: 'http1',
      from: null,
      isIngress: true,
      recovered: false,
      lacksKey: true,
    });
  });

  test.each([
    ['baggage and tracestate', { tracestate: 'a=1,surety=k1' }, false],
    ['baggage only, which some services drop', { tracestate: 'a=1' }, true],
  ])('has its key where services look for it if it comes in %s', (_, more, lacksKey) => {
    const headers = { baggage: 'surety-lane=k1', ...more };
    expect(route(book, { now: 0, headers })).toMatchObject({ key: 'k1', lacksKey });
  });

  test('from outside uses the protocol of the candidate, even if the change altered it', () => {
    expect(go('plain')).toMatchObject({ port: 5_005, scheme: 'http', speaks: 'http1' });
  });

  test('of a lane with another ingress enters there, at every entrance', () => {
    const at = (port: number, key: string) => {
      const door = table.doors?.find((one) => one.port === port);
      return route(book, { now: 0, door, headers: key ? { baggage: `surety-lane=${key}` } : {} });
    };
    const tried = { to: 'pricing', port: 5_004, kind: 'candidate', isIngress: true };
    expect(go('k9')).toMatchObject(tried);
    expect(at(4_401, 'k9')).toMatchObject(tried);
    expect(at(4_402, 'k9')).toMatchObject({ to: 'edge', isIngress: false });
    for (const other of [at(4_401, 'k1'), at(4_401, ''), go('k1')]) {
      expect(other).toMatchObject({ to: 'edge', port: 4_300 });
    }
  });

  test.each([
    'localhost:4302',
    '127.0.0.1:4302',
    '[::1]:4302',
    '0.0.0.0:4302',
    `${hostname()}:4302`,
    'pricing:80',
    'PRICING:4302',
    'pricing.:9999',
    'prices.internal:80',
    'prices.example:1234',
    '[fd00::7]:81',
    'localhost:4400',
  ])('to %s goes to the candidate of its own lane', (to) => {
    expect(go('k1', to)).toMatchObject({
      port: 5_001,
      instance: 'pricing/lane_1/a',
      to: 'pricing',
    });
    expect(go('k2', to)).toMatchObject({ port: 5_002, instance: 'pricing/lane_2/b' });
    expect(go('k3', to)).toMatchObject({ port: 4_302, instance: 'baseline', isIngress: false });
  });

  test('to the port of a candidate of its own lane goes to that candidate', () => {
    expect(go('k1', 'localhost:5001')).toMatchObject({ to: 'pricing', kind: 'candidate' });
  });

  test.each(['k2', 'k3'])('with key %s does not get into the lane of another', (key) => {
    expect(() => go(key, 'localhost:5001')).toThrow(
      expect.objectContaining({ code: 'LANE_FOREIGN' }),
    );
  });

  test.each([
    ['api.example:443', 'https'],
    ['localhost:9999', 'http'],
    ['prices:4302', 'http'],
    ['prices.internal:81', 'http'],
    ['10.0.0.5:4302', 'http'],
    ['localhost:4305', 'http'],
  ])('to %s goes to that third party', (to, scheme) => {
    expect(go('k1', to, scheme)).toMatchObject({
      to,
      kind: 'external',
      instance: 'external',
      scheme,
    });
  });

  test('to a service on another machine goes there', () => {
    const expected = { to: 'staging', host: '10.0.0.5', port: 4_305, kind: 'baseline' };
    expect(go('k1', '10.0.0.5:4305')).toMatchObject(expected);
    expect(go('k1', 'staging:80')).toMatchObject(expected);
  });

  test('to a service uses the protocol of its caller', () => {
    expect(go('k1', 'localhost:4300').scheme).toBe('http');
    expect(go('k1', 'localhost:4302', 'https').scheme).toBe('https');
  });

  test.each(['k4', 'constructor', '__proto__', 'toString'])('with key %s is refused', (key) => {
    const refusal = { code: 'LANE_UNKNOWN', message: expect.stringContaining(key) };
    for (const to of [undefined, 'pricing:80', 'api.example:443']) {
      expect(() => go(key, to)).toThrow(expect.objectContaining(refusal));
    }
  });

  test.each(['nowhere', 'a:b', ':80', 'http://a:80'])('to "%s" is refused', (to) => {
    expect(() => go('k1', to)).toThrow(expect.objectContaining({ code: 'ROUTER_REQUEST_INVALID' }));
  });

  test('from outside is refused when no service is the ingress', () => {
    const headers = { baggage: 'surety-lane=k1' };
    expect(() => route(createAddressBook({ ...table, ingress: '' }), { headers, now: 0 })).toThrow(
      expect.objectContaining({ code: 'LANE_UNKNOWN' }),
    );
  });
});
