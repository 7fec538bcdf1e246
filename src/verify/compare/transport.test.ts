import { describe, expect, test } from 'vitest';
import { against, answer, hop, recording } from './recorded.fixture.ts';
import type { Transport } from './recording.ts';
import { findSecurityChanges } from './security.ts';

const transport = (more: Partial<Transport> = {}): Transport => ({
  service: 'edge',
  versions: ['TLSv1.3', 'TLSv1.2'],
  weakCiphers: [],
  keyBits: 2_048,
  isExpired: false,
  ...more,
});

const changes = (was: Partial<Transport>, is: Partial<Transport>) =>
  findSecurityChanges(
    against(
      () => recording([], { transports: [transport(was)] }),
      recording([], { transports: [transport(is)] }),
    ),
  ).map(({ what, service }) => `${what} by ${service}`);

describe('the transport of a service', () => {
  test.each<[string, Partial<Transport>, string]>([
    ['speaks plain text', { versions: [] }, 'tls-lost by edge'],
    ['agrees to old versions', { versions: ['TLSv1.2', 'TLSv1'] }, 'tls-weakened by edge'],
    ['agrees to weak ciphers', { weakCiphers: ['aNULL'] }, 'cipher-weakened by edge'],
    ['has a short key', { keyBits: 1_024 }, 'key-shortened by edge'],
    ['has an expired certificate', { isExpired: true }, 'certificate-expired by edge'],
  ])('is weaker when it %s', (_, now, found) => {
    expect(changes({}, now)).toEqual([found]);
    expect(changes(now, now)).toEqual([]);
    expect(changes(now, {})).toEqual([]);
  });
});

describe('a newly reachable route', () => {
  const inside = hop({ from: 'fees', to: 'flags', method: 'GET', path: '/flags/free-trading' });
  const outside = hop({ from: null, to: 'edge', method: 'POST', path: '/trades' });
  const scanned = (path: string, status: number) =>
    recording([inside, outside], { answers: [answer({ path, status, hasCredentials: false })] });
  const found = (path: string) =>
    findSecurityChanges(against(() => scanned(path, 404), scanned(path, 200)));

  test('that services call is exposed', () => {
    expect(found('/flags')).toMatchObject([{ what: 'route-exposed', severity: 'fail' }]);
  });

  test('that is new, or beside a public route, is a notice', () => {
    expect(found('/symbols')).toMatchObject([{ severity: 'notice' }]);
    expect(found('/trades/latest')).toMatchObject([{ severity: 'notice' }]);
  });

  test('is not compared with the headers of its earlier refusal', () => {
    const open = recording([], {
      answers: [answer({ path: '/symbols', headers: {}, body: '{"password":"hunter2secret"}' })],
    });
    const refused = () => recording([], { answers: [answer({ path: '/symbols', status: 404 })] });
    const weaknesses = findSecurityChanges(against(refused, open)).filter(
      ({ what }) => what === 'weakened',
    );
    expect(weaknesses).toMatchObject([{ after: 'a secret (named as such) in the answer' }]);
  });
});

test('finds an opened port, but not one that the operating system chose', () => {
  const listening = (...ports: number[]) =>
    recording([], {
      listeners: ports.map((port) => ({ service: 'edge', address: 'every address', port })),
    });
  const found = findSecurityChanges(against(() => listening(0), listening(0, 9_229)));
  expect(found).toMatchObject([{ what: 'port-opened', place: 'port 9229' }]);
});
