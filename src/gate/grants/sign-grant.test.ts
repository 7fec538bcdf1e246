import * as jose from 'jose';
import { describe, expect, test } from 'vitest';
import { Scratch } from '../../../tests/harness/scratch.ts';
import { createReplayGuard, verifyGrant } from '../../verify-grant/index.ts';
import { grantLimits } from '../../verify-grant/limits.ts';
import { gateLimits } from '../limits.ts';
import { KeyRing } from './key-ring.ts';
import { openGrant } from './open-grant.ts';
import { type GrantTerms, signGrant } from './sign-grant.ts';
import { expected, grantedAt, refund, terms, testClock } from './terms.fixture.ts';

function openRing(): KeyRing {
  return new KeyRing(new Scratch().file('ring.json'), testClock());
}

const ring = openRing();
const sign = (more: Partial<GrantTerms> = {}) => signGrant({ ...terms, ...more }, ring.signer());

// proves: grant.verified, grant.standard
describe('a signed grant', () => {
  test('is verified offline and accepted once', () => {
    const { token, kid, expiresAt } = sign();
    expect(kid).toBe(ring.signer().id);
    const seen = createReplayGuard();
    const options = { ...expected(ring, grantedAt), seen };
    expect(verifyGrant(token, options)).toEqual({
      ok: true,
      grant: {
        iss: 'shop',
        aud: 'payments',
        sub: 'agent:ada',
        jti: 'prop_01',
        tool: 'refund.issue',
        arg: terms.argumentsHash,
        iat: Math.floor(grantedAt / 1_000),
        exp: Math.ceil(expiresAt / 1_000),
        expMs: expiresAt,
      },
    });
    expect(verifyGrant(token, options)).toMatchObject({ code: 'GRANT_USED' });
  });

  test('carries fences, task and key if there are any', () => {
    const more = { leases: [{ resource: 'order/o-7', fence: 3 }], task: 'task_1', key: 'o-7' };
    const read = verifyGrant(sign(more).token, expected(ring, grantedAt));
    expect(read).toMatchObject({ ok: true, grant: { fence: more.leases, task: 'task_1' } });
    expect(read).toMatchObject({ grant: { key: 'o-7' } });
  });

  test('is a standard JWT', async () => {
    const known = jose.createLocalJWKSet(ring.jwks() as jose.JSONWebKeySet);
    const currentDate = new Date(grantedAt);
    const typ = 'surety-grant+jwt';
    const options = { issuer: 'shop', audience: 'payments', typ, currentDate };
    const { payload, protectedHeader } = await jose.jwtVerify(sign().token, known, options);
    expect(payload).toMatchObject({ jti: 'prop_01', sub: 'agent:ada' });
    expect(protectedHeader).toEqual({ alg: 'EdDSA', kid: ring.signer().id, typ });
  });

  test('contains the hash of the arguments and not the arguments', () => {
    const [, payload = ''] = sign().token.split('.');
    expect(Buffer.from(payload, 'base64url').toString()).not.toContain(refund.orderId);
  });

  test(`lives ${gateLimits.grantMs} ms by default, to the millisecond`, () => {
    const { token, expiresAt } = sign();
    expect(expiresAt).toBe(grantedAt + gateLimits.grantMs);
    expect(verifyGrant(token, expected(ring, expiresAt - 1)).ok).toBe(true);
    expect(verifyGrant(token, expected(ring, expiresAt))).toMatchObject({ code: 'GRANT_EXPIRED' });
  });

  test(`lives at most ${grantLimits.grantMsMax} ms, also for a verifier that rounds`, () => {
    const { token, expiresAt } = sign({ lifeMs: grantLimits.grantMsMax });
    expect(verifyGrant(token, expected(ring, expiresAt - 1)).ok).toBe(true);
    for (const lifeMs of [
      grantLimits.grantMsMax + 1,
      0,
      -1,
      0.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ]) {
      expect(() => sign({ lifeMs })).toThrow(
        expect.objectContaining({ code: 'GRANT_LIFE_INVALID' }),
      );
    }
  });

  test(`has at most ${grantLimits.grantBytesMax} bytes`, () => {
    const bare = sign({ key: '' }).token.length;
    // Four characters for three bytes.
    const room = Math.floor(((grantLimits.grantBytesMax - bare) * 3) / 4);
    const { token } = sign({ key: 'x'.repeat(room) });
    expect(grantLimits.grantBytesMax - token.length).toBeLessThan(4);
    expect(verifyGrant(token, expected(ring, grantedAt)).ok).toBe(true);
    expect(() => sign({ key: 'x'.repeat(room + 4) })).toThrow(
      expect.objectContaining({ code: 'GRANT_TOO_LARGE' }),
    );
  });

  test('fits with the longest names that a caller may give', () => {
    // Six bytes each in JSON: nothing takes more.
    const name = '\u0001'.repeat(gateLimits.grantTextCharsMax);
    const leases = ['tool', 'lock', 'agent'].map((kind) => ({
      resource: `${kind}:${name}`,
      fence: Number.MAX_SAFE_INTEGER,
    }));
    const longest = { audience: name, task: name, tool: name, actor: `agent:${name}` as const };
    const key = 'f'.repeat(64);
    expect(sign({ ...longest, leases, key }).token.length).toBeLessThan(grantLimits.grantBytesMax);
  });

  test('is refused for values that JSON cannot represent', () => {
    expect(() => sign({ key: '\ud800' })).toThrow(
      expect.objectContaining({ code: 'JSON_INVALID' }),
    );
  });
});

describe('opening a returned grant', () => {
  const open = (token: string, issuer = 'shop', keys = ring.settlementJwks()) =>
    openGrant(token, issuer, keys);

  const [head, payload] = sign({ proposal: 'prop_02' }).token.split('.');
  const altered = [head, payload, sign().token.split('.')[2]].join('.');

  test('gives its terms even after it expired', () => {
    expect(open(sign().token)).toMatchObject({ jti: 'prop_01', aud: 'payments' });
  });

  test.each<[string, () => unknown, string]>([
    ['of another workspace', () => open(sign().token, 'bank'), 'GRANT_OTHER_ISSUER'],
    ['that was altered', () => open(altered), 'GRANT_SIGNATURE_WRONG'],
    ['of another ring', () => open(sign().token, 'shop', openRing().jwks()), 'GRANT_KEY_UNKNOWN'],
    ['that is none', () => open('garbage'), 'GRANT_MALFORMED'],
  ])('refuses one %s', (_, attempt, reason) => {
    expect(attempt).toThrow(
      expect.objectContaining({
        code: 'GRANT_REFUSED',
        message: expect.stringContaining(reason),
      }),
    );
  });
});
