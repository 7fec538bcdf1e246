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
    ['has a certificate whose time is over', { isExpired: true }, 'certificate-expired by edge'],
  ])('is weaker when it %s', (_, now, found) => {
    expect(changes({}, now)).toEqual([found]);
    expect(changes(now, now)).toEqual([]);
    expect(changes(now, {})).toEqual([]);
  });
});

describe('a way in', () => {
  const inside = hop({ from: 'fees', to: 'flags', method: 'GET', path: '/flags/free-trading' });
  const outside = hop({ from: null, to: 'edge', method: 'POST', path: '/trades' });
  const looked = (path: string, status: number) =>
    recording([inside, outside], { answers: [answer({ path, status, hasCredentials: false })] });
  const found = (path: string) =>
    findSecurityChanges(against(() => looked(path, 404), looked(path, 200)));

  test('to what services have for each other is exposed', () => {
    expect(found('/flags')).toMatchObject([{ what: 'route-exposed', severity: 'fail' }]);
  });

  test('to something new, or beside what is known outside, is only told', () => {
    expect(found('/symbols')).toMatchObject([{ severity: 'notice' }]);
    expect(found('/trades/latest')).toMatchObject([{ severity: 'notice' }]);
  });

  test('that is new is not held against the headers of its refusal', () => {
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

test('a port besides its own is opened; one that the system chooses is the same each time', () => {
  const listening = (...ports: number[]) =>
    recording([], {
      listeners: ports.map((port) => ({ service: 'edge', address: 'every address', port })),
    });
  const found = findSecurityChanges(against(() => listening(0), listening(0, 9_229)));
  expect(found).toMatchObject([{ what: 'port-opened', place: 'port 9229' }]);
});
