import { hostname, networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { formatAddress, isLoopback, isOwnName, parseAddress } from './address.ts';

describe('an address', () => {
  test.each([
    ['127.0.0.1:80', { host: '127.0.0.1', port: 80 }],
    ['Pricing:65535', { host: 'pricing', port: 65_535 }],
    ['localhost.:1', { host: 'localhost', port: 1 }],
    ['[::1]:4301', { host: '::1', port: 4_301 }],
  ])('%s is parsed', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  test.each([
    '',
    'a',
    ':80',
    'a:',
    'a:0',
    'a:65536',
    'a:80:81',
    '::1:80',
    'a b:80',
    'a:8o',
    'a/b:1',
  ])('"%s" is refused', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  test('is formatted as it was parsed', () => {
    for (const text of ['[::1]:80', 'a.example:443']) {
      expect(formatAddress(parseAddress(text) as { host: string; port: number })).toBe(text);
    }
  });

  test.each([
    'localhost',
    'a.localhost',
    '127.0.0.1',
    '127.8.9.1',
    '::1',
    '::ffff:127.0.0.1',
    '0.0.0.0',
    '::',
  ])('with the host %s is on this machine', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  test.each(['localhost.example', '128.0.0.1', '10.0.0.1', '::2', 'pricing', '127.0.0.1.example'])(
    'with the host %s may be on another machine',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );

  test('with a host name or interface of this machine is local', () => {
    const interfaces = Object.values(networkInterfaces()).flat();
    expect(isOwnName(hostname().toLowerCase())).toBe(true);
    expect(interfaces.every((one) => isOwnName(String(one?.address).toLowerCase()))).toBe(true);
    expect(isOwnName('third-party.example')).toBe(false);
  });
});
