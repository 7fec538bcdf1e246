import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { type GrantClaims, isObject, isText, readClaims } from './claims.ts';
import { grantLimits } from './limits.ts';
import { type GrantRefusal, refuse } from './refusal.ts';

/** A public key as /.well-known/jwks.json has it. */
export interface GrantJwk {
  readonly kty: string;
  readonly crv?: string;
  readonly x?: string;
  readonly kid?: string;
  readonly alg?: string;
  readonly use?: string;
}

export interface GrantJwks {
  readonly keys: readonly GrantJwk[];
}

export const grantType = 'surety-grant+jwt';
export const grantAlgorithm = 'EdDSA';

export type ReadGrant = { readonly ok: true; readonly grant: GrantClaims } | GrantRefusal;

/**
 * What a grant says, once it is certain who signed it. Whether it is for this call and still good
 * is another question: `verifyGrant` asks it.
 */
export function readGrant(token: string, jwks: GrantJwks): ReadGrant {
  if (typeof token !== 'string') return malformed('it is no text');
  if (token.length > grantLimits.grantBytesMax) {
    return malformed(`it is longer than ${grantLimits.grantBytesMax} bytes`);
  }
  const parts = token.split('.');
  const [header, payload, signature] = parts.map(decode);
  if (parts.length !== 3 || !header || !payload || !signature) {
    return malformed('it is not three parts in base64url');
  }
  const named = readHeader(header);
  if (typeof named !== 'string') return named;
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')));
  const wrong = checkSignature({ kid: named, signed, signature }, jwks);
  if (wrong) return wrong;
  const grant = readClaims(parse(payload));
  return typeof grant === 'string' ? malformed(grant) : { ok: true, grant };
}

/** The id of the key. Nothing else in a header may change how the rest is read. */
function readHeader(bytes: Buffer): string | GrantRefusal {
  const header = parse(bytes);
  if (!isObject(header)) return malformed('its header is no object');
  const { alg, typ, kid, ...others } = header;
  if (alg !== grantAlgorithm || typ !== grantType || Object.keys(others).length > 0) {
    const message = `Its header is not that of a grant: ${JSON.stringify(header).slice(0, 200)}.`;
    return refuse('GRANT_ALGORITHM_REFUSED', message);
  }
  return isText(kid) ? kid : malformed('it names no key');
}

interface SignedGrant {
  readonly kid: string;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

function checkSignature(
  { kid, signed, signature }: SignedGrant,
  jwks: GrantJwks,
): GrantRefusal | undefined {
  const jwk = jwks.keys.find((key) => isObject(key) && key.kid === kid && isSigningKey(key));
  if (!jwk) return refuse('GRANT_KEY_UNKNOWN', `No known key has the id ${kid.slice(0, 100)}.`);
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    if (verify(null, signed, key, signature)) return undefined;
  } catch {
    return refuse('GRANT_KEY_UNKNOWN', `The key ${kid} cannot be read.`);
  }
  return refuse('GRANT_SIGNATURE_WRONG', 'The grant was altered, or signed by somebody else.');
}

function isSigningKey({ kty, crv, alg = grantAlgorithm, use = 'sig' }: GrantJwk): boolean {
  return kty === 'OKP' && crv === 'Ed25519' && alg === grantAlgorithm && use === 'sig';
}

/** Decoders skip what they do not know; one grant must have one spelling only. */
function decode(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === part ? bytes : undefined;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function malformed(reason: string): GrantRefusal {
  return refuse('GRANT_MALFORMED', `This is no grant: ${reason}.`);
}
