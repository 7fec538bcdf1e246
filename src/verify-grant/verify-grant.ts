import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import { endOf, type GrantClaims, isObject, isText } from './claims.ts';
import { systemNow } from './clock.ts';
import { grantLimits } from './limits.ts';
import { type GrantJwks, type ReadGrant, readGrant } from './read-grant.ts';
import { type GrantRefusal, refuse } from './refusal.ts';
import { createReplayGuard, type ReplayGuard } from './replay-guard.ts';

export interface VerifyGrantOptions {
  /** Public keys of the runtime, as /.well-known/jwks.json gives them. */
  readonly jwks: GrantJwks;
  /** This executor. */
  readonly audience: string;
  /** The workspace whose grants it takes. */
  readonly issuer: string;
  /** What is about to be called, with what. */
  readonly tool: string;
  readonly arguments: unknown;
  /** Milliseconds since the Unix epoch; this machine's clock if left out. */
  readonly now?: () => number;
  /**
   * Where used grants are remembered: in this process if left out. With null nothing is
   * remembered, and the caller has to see to it that a grant is used once.
   */
  readonly seen?: ReplayGuard | null;
  /** By how much the clocks may differ; 5 seconds if left out. */
  readonly skewMs?: number;
}

/** Whether a call was granted, without asking anybody. What is unclear is refused. */
export function verifyGrant(token: string, options: VerifyGrantOptions): ReadGrant {
  const invalid = checkOptions(options);
  if (invalid) return refuse('GRANT_OPTIONS_INVALID', invalid);
  const read = readGrant(token, options.jwks);
  if (!read.ok) return read;
  const nowMs = (options.now ?? systemNow)();
  const refusal =
    checkPurpose(read.grant, options) ??
    checkTime(read.grant, nowMs, options) ??
    checkUse(read.grant, nowMs, options);
  return refusal ?? read;
}

/** From JavaScript anything may come, and a missing audience must not equal a missing claim. */
function checkOptions(options: VerifyGrantOptions): string | undefined {
  if (!isObject(options)) return 'There are no options.';
  for (const name of ['audience', 'issuer', 'tool'] as const) {
    if (!isText(options[name])) return `The option ${name} is missing.`;
  }
  if (!Array.isArray(options.jwks?.keys)) return 'The option jwks has no keys.';
  const { skewMs = grantLimits.grantSkewMs } = options;
  if (!(skewMs >= 0 && skewMs <= grantLimits.grantSkewMsMax)) {
    return `The option skewMs is not between 0 and ${grantLimits.grantSkewMsMax}.`;
  }
  return undefined;
}

function checkPurpose(grant: GrantClaims, options: VerifyGrantOptions): GrantRefusal | undefined {
  const { iss, aud, tool, arg } = grant;
  if (iss !== options.issuer) return refuse('GRANT_OTHER_ISSUER', `It was granted by ${iss}.`);
  if (aud !== options.audience) return refuse('GRANT_OTHER_AUDIENCE', `It is for ${aud}.`);
  if (tool !== options.tool) return refuse('GRANT_OTHER_TOOL', `It grants ${tool}.`);
  const found = hashArguments(options.arguments);
  if (found === arg) return undefined;
  const message = `The arguments have the hash ${found}, granted were those with ${arg}.`;
  return refuse('GRANT_OTHER_ARGUMENTS', message);
}

function hashArguments(value: unknown): string {
  try {
    return createHash('sha256').update(canonicalJson(value)).digest('hex');
  } catch (error) {
    return `of nothing (${(error as Error).message})`;
  }
}

function checkTime(
  grant: GrantClaims,
  nowMs: number,
  { skewMs = grantLimits.grantSkewMs }: VerifyGrantOptions,
): GrantRefusal | undefined {
  if (!Number.isFinite(nowMs)) return refuse('GRANT_OPTIONS_INVALID', 'The clock tells no time.');
  const endsMs = endOf(grant);
  if (nowMs >= endsMs + skewMs) {
    return refuse('GRANT_EXPIRED', `It ended ${nowMs - endsMs} ms ago.`);
  }
  const earlyMs = grant.iat * 1_000 - nowMs;
  if (earlyMs <= skewMs) return undefined;
  return refuse('GRANT_NOT_YET_VALID', `It begins in ${earlyMs} ms.`);
}

const seenHere: ReplayGuard = createReplayGuard();

/** Last: a grant that is refused for another reason was not used. */
function checkUse(
  grant: GrantClaims,
  nowMs: number,
  { seen = seenHere, skewMs = grantLimits.grantSkewMs }: VerifyGrantOptions,
): GrantRefusal | undefined {
  if (seen === null) return undefined;
  const id = JSON.stringify([grant.iss, grant.aud, grant.jti]);
  const found = seen.take({ id, untilMs: endOf(grant) + skewMs, nowMs });
  if (found === 'first') return undefined;
  if (found === 'full') return refuse('GRANT_MEMORY_FULL', 'Too many grants are in use.');
  return refuse('GRANT_USED', `The grant ${grant.jti} was used before.`);
}
