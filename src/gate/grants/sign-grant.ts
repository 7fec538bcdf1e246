import {
  type Actor,
  canonicalJson,
  fault,
  type Instant,
  type JsonObject,
  type SigningKey,
} from '../../kernel/index.ts';
import { type GrantClaims, grantAlgorithm, grantType } from '../../verify-grant/index.ts';
import { grantLimits } from '../../verify-grant/limits.ts';
import { gateLimits } from '../limits.ts';

/** The terms of a grant for an executor outside of this process. */
export interface GrantTerms {
  readonly workspace: string;
  /** The executor that it is for. */
  readonly audience: string;
  readonly actor: Actor;
  readonly proposal: string;
  readonly tool: string;
  readonly argumentsHash: string;
  readonly grantedAt: Instant;
  readonly lifeMs?: number;
  readonly leases?: readonly { readonly resource: string; readonly fence: number }[];
  readonly task?: string;
  readonly key?: string;
}

export interface GrantToken {
  /** A compact JWS. A secret until it is used: whoever holds it may have the call executed. */
  readonly token: string;
  readonly kid: string;
  readonly expiresAt: Instant;
}

/** Makes a grant that can be checked elsewhere, without asking us, by `surety/verify-grant`. */
export function signGrant(terms: GrantTerms, signer: SigningKey): GrantToken {
  const expiresAt = terms.grantedAt + readLife(terms.lifeMs);
  const header = { alg: grantAlgorithm, kid: signer.id, typ: grantType };
  const signed = `${encode(header)}.${encode(claimsOf(terms, expiresAt))}`;
  const token = `${signed}.${signer.sign(signed)}`;
  if (token.length > grantLimits.grantBytesMax) {
    throw fault('GRANT_TOO_LARGE', { bytes: token.length, limit: grantLimits.grantBytesMax });
  }
  return { token, kid: signer.id, expiresAt };
}

function readLife(lifeMs: number = gateLimits.grantMs): number {
  if (Number.isSafeInteger(lifeMs) && lifeMs >= 1 && lifeMs <= grantLimits.grantMsMax)
    return lifeMs;
  throw fault('GRANT_LIFE_INVALID', { lifeMs, maxMs: grantLimits.grantMsMax });
}

/** JWT libraries read seconds, which are rounded so that the grant is not shortened. */
function claimsOf(terms: GrantTerms, expMs: Instant): GrantClaims {
  const { leases = [], task, key } = terms;
  const fence = leases.map((lease) => ({ resource: lease.resource, fence: lease.fence }));
  return {
    iss: terms.workspace,
    aud: terms.audience,
    sub: terms.actor,
    jti: terms.proposal,
    tool: terms.tool,
    arg: terms.argumentsHash,
    iat: Math.floor(terms.grantedAt / 1_000),
    exp: Math.ceil(expMs / 1_000),
    expMs,
    ...(fence.length > 0 ? { fence } : {}),
    ...(task === undefined ? {} : { task }),
    ...(key === undefined ? {} : { key }),
  };
}

/** Canonical JSON, so that JSON changes nothing silently before signing. */
function encode(value: object): string {
  return Buffer.from(canonicalJson(value as JsonObject)).toString('base64url');
}
