import { createHmac, createPublicKey } from 'node:crypto';
import * as jose from 'jose';
import { describe, expect, test } from 'vitest';
import {
  claims,
  encode,
  header,
  jwks,
  key,
  makeKey,
  nowMs,
  options,
  refund,
  signed,
} from './grant.fixture.ts';
import { grantLimits } from './limits.ts';
import { createReplayGuard } from './replay-guard.ts';
import { type VerifyGrantOptions, verifyGrant } from './verify-grant.ts';

const good = signed(claims);
const [head = '', payload = '', signature = ''] = good.split('.');

const codeOf = (token: unknown, more: Partial<VerifyGrantOptions> = {}): string => {
  const result = verifyGrant(token as string, { ...options, ...more });
  return result.ok ? 'ok' : result.code;
};

/** Another character in the same place, so that the length stays. */
const altered = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

// proves: grant.verified
describe('a grant', () => {
  test('for exactly this call is accepted and returns its claims', () => {
    expect(verifyGrant(good, options)).toEqual({ ok: true, grant: claims });
  });

  test('returns its optional claims', () => {
    const more = { fence: [{ resource: 'order/o-7', fence: 3 }], task: 'task_1', key: 'o-7' };
    expect(verifyGrant(signed({ ...claims, ...more }), options)).toEqual({
      ok: true,
      grant: { ...claims, ...more },
    });
  });

  test('covers equal arguments in any notation', () => {
    expect(codeOf(good, { arguments: { amount: 1.25e3, orderId: 'o-7' } })).toBe('ok');
  });

  test('that is refused comes with a reason and a remedy', () => {
    expect(verifyGrant(good, { ...options, tool: 'refund.cancel' })).toEqual({
      ok: false,
      code: 'GRANT_OTHER_TOOL',
      message: 'It grants refund.issue.',
      remedy: 'Call the tool that was granted, or propose this one.',
    });
  });

  test.each<[string, Partial<VerifyGrantOptions>, string]>([
    ['another executor', { audience: 'shipping' }, 'GRANT_OTHER_AUDIENCE'],
    ['another workspace', { issuer: 'bank' }, 'GRANT_OTHER_ISSUER'],
    ['another tool', { tool: 'refund.issue ' }, 'GRANT_OTHER_TOOL'],
    ['another amount', { arguments: { ...refund, amount: 1_251 } }, 'GRANT_OTHER_ARGUMENTS'],
    ['another type', { arguments: { ...refund, amount: '1250' } }, 'GRANT_OTHER_ARGUMENTS'],
    ['one argument more', { arguments: { ...refund, to: 'me' } }, 'GRANT_OTHER_ARGUMENTS'],
    ['no arguments', { arguments: undefined }, 'GRANT_OTHER_ARGUMENTS'],
    ['NaN', { arguments: { ...refund, amount: Number.NaN } }, 'GRANT_OTHER_ARGUMENTS'],
    ['a lone surrogate', { arguments: { ...refund, orderId: '\ud800' } }, 'GRANT_OTHER_ARGUMENTS'],
    ['a class', { arguments: new Map(Object.entries(refund)) }, 'GRANT_OTHER_ARGUMENTS'],
  ])('does not cover a call with %s', (_, more, code) => {
    expect(codeOf(good, more)).toBe(code);
  });
});

// proves: grant.forged
describe('a forged grant', () => {
  test('is detected wherever it was altered', () => {
    for (let at = 0; at < good.length; at++) {
      if (good[at] !== '.') expect([at, codeOf(altered(good, at))]).not.toEqual([at, 'ok']);
    }
    const other = encode({ ...claims, sub: 'agent:eve' });
    expect(codeOf(`${head}.${other}.${signature}`)).toBe('GRANT_SIGNATURE_WRONG');
  });

  test.each<[string, unknown, string]>([
    ['no algorithm', { ...header, alg: 'none' }, 'GRANT_ALGORITHM_REFUSED'],
    ['another spelling of none', { ...header, alg: 'nOnE' }, 'GRANT_ALGORITHM_REFUSED'],
    ['another spelling of ours', { ...header, alg: 'eddsa' }, 'GRANT_ALGORITHM_REFUSED'],
    ['the new name of ours', { ...header, alg: 'Ed25519' }, 'GRANT_ALGORITHM_REFUSED'],
    ['another type', { ...header, typ: 'JWT' }, 'GRANT_ALGORITHM_REFUSED'],
    ['a key of its own', { ...header, jwk: key.jwk }, 'GRANT_ALGORITHM_REFUSED'],
    ['the address of a key', { ...header, jku: 'https://evil' }, 'GRANT_ALGORITHM_REFUSED'],
    ['what is critical', { ...header, crit: ['b64'], b64: false }, 'GRANT_ALGORITHM_REFUSED'],
    ['an unknown key', { ...header, kid: 'k2' }, 'GRANT_KEY_UNKNOWN'],
    ['no key', { alg: header.alg, typ: header.typ }, 'GRANT_MALFORMED'],
    ['no object', ['EdDSA'], 'GRANT_MALFORMED'],
    ['no JSON', '{', 'GRANT_MALFORMED'],
  ])('with %s in its header is refused', (_, forged, code) => {
    expect(codeOf(signed(claims, forged))).toBe(code);
  });

  test('without a signature is refused', () => {
    const unsigned = `${encode({ ...header, alg: 'none' })}.${payload}`;
    expect(codeOf(`${unsigned}.`)).toBe('GRANT_MALFORMED');
    expect(codeOf(`${unsigned}.${signature}`)).toBe('GRANT_ALGORITHM_REFUSED');
    expect(codeOf(`${head}.${payload}.${encode('x'.repeat(64))}`)).toBe('GRANT_SIGNATURE_WRONG');
    expect(codeOf(`${head}.${payload}.${encode('x')}`)).toBe('GRANT_SIGNATURE_WRONG');
  });

  test.each(['pem', 'x'])('by HS256 with the public key (%s) as its secret is refused', (form) => {
    const publicKey = createPublicKey(key.privateKey);
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const secret = form === 'pem' ? pem : Buffer.from(key.jwk.x ?? '', 'base64url');
    for (const alg of ['HS256', 'EdDSA']) {
      const text = `${encode({ ...header, alg })}.${payload}`;
      const token = `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
      const expected = alg === 'HS256' ? 'GRANT_ALGORITHM_REFUSED' : 'GRANT_SIGNATURE_WRONG';
      expect(codeOf(token)).toBe(expected);
    }
  });

  test('by another key under the same id is refused', () => {
    expect(codeOf(signed(claims, header, makeKey('k1')))).toBe('GRANT_SIGNATURE_WRONG');
  });

  test.each<[string, object]>([
    ['for encryption', { use: 'enc' }],
    ['of another kind', { kty: 'EC' }],
    ['of another curve', { crv: 'X25519' }],
    ['for another algorithm', { alg: 'ES256' }],
    ['that is too short', { x: 'AAAA' }],
    ['that is not there', { x: undefined }],
  ])('is refused with a key %s', (_, change) => {
    const keys = [{ ...key.jwk, ...change }];
    expect(codeOf(good, { jwks: { keys } as VerifyGrantOptions['jwks'] })).toBe(
      'GRANT_KEY_UNKNOWN',
    );
  });

  test('is refused after its key was removed', () => {
    const next = makeKey('k2');
    expect(codeOf(good, { jwks: { keys: [next.jwk, key.jwk] } })).toBe('ok');
    expect(codeOf(good, { jwks: { keys: [next.jwk] } })).toBe('GRANT_KEY_UNKNOWN');
    expect(codeOf(good, { jwks: { keys: [] } })).toBe('GRANT_KEY_UNKNOWN');
    expect(codeOf(good, { jwks: { keys: [null] } as never })).toBe('GRANT_KEY_UNKNOWN');
  });
});

describe('a malformed grant', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['an object', { token: good }],
    ['no text', ''],
    ['dots', '...'],
    ['one part', 'abc'],
    ['four parts', `${good}.abc`],
    ['a line end', `${good}\n`],
    ['padding', `${good}=`],
    ['the other alphabet', good.replaceAll('-', '+').replaceAll('_', '/').concat('+')],
    ['bytes', '\0\xff\u{1f600}'],
    ['a payload that is no JSON', signed('{"iss"')],
    ['a list', signed([claims])],
    ['null as a payload', signed(null)],
  ])('%s is refused', (_, token) => {
    expect(codeOf(token)).toBe('GRANT_MALFORMED');
  });

  test.each<[string, object]>([
    ['no issuer', { iss: undefined }],
    ['an empty audience', { aud: '' }],
    ['several audiences', { aud: ['payments', 'shipping'] }],
    ['no id', { jti: undefined }],
    ['a number as its tool', { tool: 7 }],
    ['no hash', { arg: 'abc' }],
    ['a hash in capitals', { arg: claims.arg.toUpperCase() }],
    ['no end', { exp: undefined }],
    ['an end as text', { exp: '9999999999' }],
    ['an end within a second', { exp: claims.exp + 0.5 }],
    ['no beginning', { iat: undefined }],
    ['a beginning before all', { iat: -1 }],
    ['an end that is none', { expMs: 'never' }],
    ['fences that are none', { fence: { resource: 'a', fence: 1 } }],
    ['a fence without a number', { fence: [{ resource: 'a' }] }],
    ['a task that is none', { task: 7 }],
    ['a key that is none', { key: null }],
  ])('with %s is refused', (_, change) => {
    expect(codeOf(signed({ ...claims, ...change }))).toBe('GRANT_MALFORMED');
  });

  test('is any token longer than the size limit', () => {
    const long = (bytes: number): string => {
      const bare = signed({ ...claims, key: '' }).length;
      // Three bytes become four characters.
      for (let size = Math.floor(((bytes - bare) * 3) / 4) - 4; ; size++) {
        const token = signed({ ...claims, key: 'x'.repeat(size) });
        if (token.length >= bytes) return token;
      }
    };
    const token = long(grantLimits.grantBytesMax);
    expect([token.length, codeOf(token)]).toEqual([grantLimits.grantBytesMax, 'ok']);
    expect(codeOf(long(grantLimits.grantBytesMax + 1))).toBe('GRANT_MALFORMED');
    expect(codeOf('x'.repeat(50_000_000))).toBe('GRANT_MALFORMED');
  });

  test('is any token with a lifetime beyond the limit', () => {
    const living = (seconds: number): string => {
      const { expMs: _, ...rest } = claims;
      return signed({ ...rest, exp: claims.iat + seconds });
    };
    expect(codeOf(living(grantLimits.grantMsMax / 1_000 + 1))).toBe('ok');
    expect(codeOf(living(grantLimits.grantMsMax / 1_000 + 2))).toBe('GRANT_MALFORMED');
  });
});

// proves: grant.time
describe('the time of a grant', () => {
  const at = (ms: number, skewMs?: number, token = good): string =>
    codeOf(token, { now: () => ms, ...(skewMs === undefined ? {} : { skewMs }) });

  test('is over to the millisecond', () => {
    const token = signed({ ...claims, exp: claims.exp, expMs: claims.expMs - 1 });
    expect(at(claims.expMs - 2, 0, token)).toBe('ok');
    expect(at(claims.expMs - 1, 0, token)).toBe('GRANT_EXPIRED');
    expect(at(claims.expMs + grantLimits.grantSkewMs - 2, undefined, token)).toBe('ok');
    expect(at(claims.expMs + grantLimits.grantSkewMs - 1, undefined, token)).toBe('GRANT_EXPIRED');
  });

  test('may be in seconds or milliseconds, and the stricter one counts', () => {
    const { expMs: _, ...seconds } = claims;
    expect(at(claims.exp * 1_000 - 1, 0, signed(seconds))).toBe('ok');
    expect(at(claims.exp * 1_000, 0, signed(seconds))).toBe('GRANT_EXPIRED');
    const longer = signed({ ...claims, expMs: claims.expMs + 60_000 });
    expect(at(claims.exp * 1_000, 0, longer)).toBe('GRANT_EXPIRED');
  });

  test('is refused when it lies in the future', () => {
    expect(at(nowMs - grantLimits.grantSkewMs)).toBe('ok');
    expect(at(nowMs - grantLimits.grantSkewMs - 1)).toBe('GRANT_NOT_YET_VALID');
    expect(at(nowMs - 1, 0)).toBe('GRANT_NOT_YET_VALID');
  });

  test('is never valid with an invalid clock or an excessive skew', () => {
    expect(at(Number.NaN)).toBe('GRANT_OPTIONS_INVALID');
    expect(at(Number.NEGATIVE_INFINITY)).toBe('GRANT_OPTIONS_INVALID');
    expect(at(nowMs, grantLimits.grantSkewMsMax)).toBe('ok');
    for (const skewMs of [
      grantLimits.grantSkewMsMax + 1,
      -1,
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ]) {
      expect(at(nowMs, skewMs)).toBe('GRANT_OPTIONS_INVALID');
    }
  });

  test('is compared with the system clock by default', () => {
    const { now: _, ...rest } = options;
    expect(verifyGrant(good, rest)).toMatchObject({ code: 'GRANT_EXPIRED' });
  });
});

// proves: grant.once
describe('the use of a grant', () => {
  test('is possible once', () => {
    const seen = createReplayGuard();
    expect([codeOf(good, { seen }), codeOf(good, { seen })]).toEqual(['ok', 'GRANT_USED']);
    expect(codeOf(signed({ ...claims, jti: 'prop_02' }), { seen })).toBe('ok');
  });

  test('is possible once in a process, also with the default memory', () => {
    const { seen: _, ...rest } = options;
    expect(verifyGrant(good, rest)).toMatchObject({ ok: true });
    expect(verifyGrant(good, rest)).toMatchObject({ code: 'GRANT_USED' });
  });

  test('is not consumed by a refused call', () => {
    const seen = createReplayGuard();
    expect(codeOf(good, { seen, arguments: {} })).toBe('GRANT_OTHER_ARGUMENTS');
    expect(codeOf(good, { seen })).toBe('ok');
  });

  test('is refused while the memory is full', () => {
    const seen = createReplayGuard(1);
    expect(codeOf(good, { seen })).toBe('ok');
    const next = signed({ ...claims, jti: 'prop_02' });
    expect(codeOf(next, { seen })).toBe('GRANT_MEMORY_FULL');
  });
});

describe('invalid options', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['no audience', { ...options, audience: undefined }],
    ['an empty issuer', { ...options, issuer: '' }],
    ['a list of tools', { ...options, tool: ['refund.issue'] }],
    ['no keys', { ...options, jwks: undefined }],
    ['one key', { ...options, jwks: key.jwk }],
  ])('with %s refuse every grant', (_, given) => {
    const token = signed({ ...claims, aud: undefined });
    for (const offered of [good, token]) {
      expect(verifyGrant(offered, given as VerifyGrantOptions)).toMatchObject({
        code: 'GRANT_OPTIONS_INVALID',
      });
    }
  });
});

// proves: grant.standard
describe('the jose library', () => {
  test('accepts every grant that the verifier accepts', async () => {
    const known = jose.createLocalJWKSet(jwks as jose.JSONWebKeySet);
    const currentDate = new Date(nowMs);
    const expected = { issuer: 'shop', audience: 'payments', typ: header.typ, currentDate };
    const { payload: read, protectedHeader } = await jose.jwtVerify(good, known, expected);
    expect([read, protectedHeader]).toEqual([claims, header]);
  });

  test('signs grants that the verifier accepts', async () => {
    const { expMs: _, ...standard } = claims;
    const token = await new jose.SignJWT(standard).setProtectedHeader(header).sign(key.privateKey);
    expect(verifyGrant(token, options)).toEqual({ ok: true, grant: standard });
  });
});
