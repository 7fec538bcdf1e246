import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import type { GrantJwk, GrantJwks } from './read-grant.ts';
import type { VerifyGrantOptions } from './verify-grant.ts';

export interface TestKey {
  readonly privateKey: KeyObject;
  readonly jwk: GrantJwk;
}

export function makeKey(kid: string): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    privateKey,
    jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' },
  };
}

export const key: TestKey = makeKey('k1');
export const jwks: GrantJwks = { keys: [key.jwk] };
export const nowMs: number = Date.UTC(2026, 0, 1, 12);
export const refund = { orderId: 'o-7', amount: 1_250 };

export const header = { alg: 'EdDSA', kid: 'k1', typ: 'surety-grant+jwt' };

export const claims = {
  iss: 'shop',
  aud: 'payments',
  sub: 'agent:ada',
  jti: 'prop_01',
  tool: 'refund.issue',
  arg: createHash('sha256').update(canonicalJson(refund)).digest('hex'),
  iat: nowMs / 1_000,
  exp: nowMs / 1_000 + 60,
  expMs: nowMs + 60_000,
};

export const options: VerifyGrantOptions = {
  jwks,
  audience: 'payments',
  issuer: 'shop',
  tool: 'refund.issue',
  arguments: refund,
  now: () => nowMs,
  seen: null,
};

export const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Whatever is put into it is signed, as by a runtime that went wrong. */
export function signed(payload: unknown, head: unknown = header, { privateKey } = key): string {
  const text = `${encode(head)}.${encode(payload)}`;
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}
