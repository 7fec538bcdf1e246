import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Scratch } from '../../../tests/harness/scratch.ts';
import { writePrivateFile } from '../../kernel/index.ts';
import { verifyGrant } from '../../verify-grant/index.ts';
import { grantLimits } from '../../verify-grant/limits.ts';
import { gateLimits } from '../limits.ts';
import { KeyRing } from './key-ring.ts';
import { openGrant } from './open-grant.ts';
import { signGrant } from './sign-grant.ts';
import { expected, terms, testClock } from './terms.fixture.ts';

function makeRing() {
  const clock = testClock();
  const path = new Scratch().file('grant-keys/ring.json');
  const ring = new KeyRing(path, clock);
  const grant = (lifeMs = grantLimits.grantMsMax): string =>
    signGrant({ ...terms, grantedAt: clock.ms, lifeMs }, ring.signer()).token;
  const judge = (token: string): string => {
    const read = verifyGrant(token, expected(ring, clock.ms));
    return read.ok ? 'ok' : read.code;
  };
  const states = (): string[] => ring.list().map(({ state }) => state);
  return { clock, path, ring, grant, judge, states };
}

const thrown = (code: string) => expect.objectContaining({ code });

// proves: grant.rotation
describe('the grant keys', () => {
  test('are readable only by their owner and survive a restart', () => {
    const { clock, path, ring, grant, judge } = makeRing();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const token = grant();
    ring.rotate();
    const again = new KeyRing(path, clock);
    expect(again.list()).toEqual(ring.list());
    expect(again.jwks()).toEqual(ring.jwks());
    expect(again.signer().id).toBe(ring.signer().id);
    expect(judge(token)).toBe('ok');
  });

  test('are published without their private half', () => {
    const { ring } = makeRing();
    expect(ring.jwks().keys).toEqual([
      {
        kty: 'OKP',
        crv: 'Ed25519',
        x: expect.stringMatching(/^[\w-]{43}$/),
        kid: ring.signer().id,
        alg: 'EdDSA',
        use: 'sig',
      },
    ]);
  });

  test('rotate, and grants under way stay valid until they expire, to the millisecond', () => {
    const { clock, ring, grant, judge, states } = makeRing();
    const before = grant();
    const { kid, state } = ring.rotate();
    expect([kid, state]).toEqual([ring.signer().id, 'current']);
    expect([judge(before), judge(grant())]).toEqual(['ok', 'ok']);
    expect(states()).toEqual(['current', 'retiring']);
    clock.ms += grantLimits.grantMsMax - 1;
    expect(judge(before)).toBe('ok');
    clock.ms += 1;
    expect(ring.jwks().keys.map((key) => key.kid)).toEqual([kid]);
    expect(judge(before)).toBe('GRANT_KEY_UNKNOWN');
    expect(states()).toEqual(['current', 'retired']);
  });

  test('lose the private half of a key that no longer signs', () => {
    const { path, ring } = makeRing();
    const { privatePem } = JSON.parse(readFileSync(path, 'utf8'));
    ring.rotate();
    expect(readFileSync(path, 'utf8')).not.toContain(JSON.stringify(privatePem).slice(40, 90));
  });

  test('still verify the outcome of a grant signed by a retired key', () => {
    const { clock, ring, grant } = makeRing();
    const token = grant();
    ring.rotate();
    clock.ms += 10 * grantLimits.grantMsMax;
    expect(openGrant(token, 'shop', ring.settlementJwks())).toMatchObject({ jti: 'prop_01' });
  });
});

// proves: grant.revocation
describe('revoking a key', () => {
  test('invalidates its grants at once, also for outcomes', () => {
    const { ring, grant, judge, states } = makeRing();
    const token = grant();
    const { id: kid } = ring.signer();
    ring.rotate();
    expect(ring.revoke(kid)).toMatchObject({ kid, state: 'revoked' });
    expect(judge(token)).toBe('GRANT_KEY_UNKNOWN');
    expect(() => openGrant(token, 'shop', ring.settlementJwks())).toThrow(thrown('GRANT_REFUSED'));
    expect(states()).toEqual(['current', 'revoked']);
  });

  test('replaces it if it is the current one', () => {
    const { clock, path, ring, grant, judge, states } = makeRing();
    const token = grant();
    const { id } = ring.signer();
    ring.revoke(id);
    expect(ring.signer().id).not.toBe(id);
    expect([judge(token), judge(grant())]).toEqual(['GRANT_KEY_UNKNOWN', 'ok']);
    expect(states()).toEqual(['current', 'revoked']);
    expect(new KeyRing(path, clock).list()).toEqual(ring.list());
  });

  test('is idempotent and refuses an unknown key', () => {
    const { clock, ring } = makeRing();
    const { id } = ring.signer();
    const first = ring.revoke(id);
    clock.ms += 1;
    expect(ring.revoke(id)).toEqual(first);
    expect(() => ring.revoke('nobody')).toThrow(thrown('NOT_FOUND'));
  });
});

describe('the key ring', () => {
  test(`holds ${gateLimits.grantKeysMax} keys and drops none that a grant may need`, () => {
    const { clock, ring, grant, judge } = makeRing();
    const token = grant();
    for (let made = 1; made < gateLimits.grantKeysMax; made++) ring.rotate();
    const before = ring.list();
    expect(before).toHaveLength(gateLimits.grantKeysMax);
    expect(() => ring.rotate()).toThrow(thrown('GRANT_KEYS_FULL'));
    expect([ring.list(), judge(token)]).toEqual([before, 'ok']);
    clock.ms += grantLimits.grantMsMax;
    ring.rotate();
    expect(ring.list()).toHaveLength(gateLimits.grantKeysMax);
  });

  test('can always revoke its current key', () => {
    const { ring, grant, judge } = makeRing();
    for (let made = 1; made < gateLimits.grantKeysMax; made++) ring.rotate();
    const { id } = ring.signer();
    expect(ring.revoke(id)).toMatchObject({ state: 'revoked' });
    expect(ring.jwks().keys.map(({ kid }) => kid)).not.toContain(id);
    expect(judge(grant())).toBe('ok');
  });

  test.each<[string, (text: string) => string]>([
    ['is cut off', (text) => text.slice(0, 80)],
    ['is empty', () => ''],
    ['is something else', () => '{"keys":[]}'],
    ['has a key without an end', (text) => text.replace('"revokedAt":null', '"revoked":null')],
    ['has no key', (text) => text.replace('BEGIN PRIVATE KEY', 'BEGIN NOTHING')],
    ['has the key of another', (text) => text.replace(/"kid":"\w+"/, '"kid":"other"')],
  ])('does not open if its file %s', (_, damage) => {
    const { clock, path } = makeRing();
    const text = damage(readFileSync(path, 'utf8'));
    writePrivateFile(path, text);
    expect(() => new KeyRing(path, clock)).toThrow(thrown('GRANT_KEYS_UNREADABLE'));
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('does not open if others can read its file', () => {
    const { clock, path } = makeRing();
    const open = new Scratch().file('ring.json');
    writeFileSync(open, readFileSync(path), { mode: 0o644 });
    expect(() => new KeyRing(open, clock)).toThrow(thrown('FILE_NOT_PRIVATE'));
  });
});
