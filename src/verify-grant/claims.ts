import { grantLimits } from './limits.ts';

/** What a grant says. */
export interface GrantClaims {
  /** The workspace that granted it. */
  readonly iss: string;
  /** The executor that it is for. */
  readonly aud: string;
  /** Who proposed it: `agent:ada`. */
  readonly sub: string;
  /** The id of the proposal: good for one call. */
  readonly jti: string;
  readonly tool: string;
  /** SHA-256 of the arguments' canonical JSON, as 64 hexadecimal characters. */
  readonly arg: string;
  /** Seconds since the Unix epoch. */
  readonly iat: number;
  readonly exp: number;
  /** The end in milliseconds; `exp` is the same, rounded up. */
  readonly expMs?: number;
  /** What the call may write to: a resource must refuse a fence lower than one it has seen. */
  readonly fence?: readonly { readonly resource: string; readonly fence: number }[];
  readonly task?: string;
  /** The idempotency key of the proposal. */
  readonly key?: string;
}

/** When it ends, in milliseconds; whichever claim is the stricter one. */
export function endOf({ exp, expMs }: GrantClaims): number {
  return Math.min(exp * 1_000, expMs ?? Number.POSITIVE_INFINITY);
}

/** The claims, or what is wrong with them. */
export function readClaims(value: unknown): GrantClaims | string {
  if (!isObject(value)) return 'its payload is no object';
  for (const name of ['iss', 'aud', 'sub', 'jti', 'tool'] as const) {
    if (!isText(value[name])) return `it has no "${name}"`;
  }
  for (const name of ['task', 'key'] as const) {
    if (value[name] !== undefined && typeof value[name] !== 'string') return `"${name}" is no text`;
  }
  if (!isHash(value.arg)) return '"arg" is no SHA-256';
  if (value.fence !== undefined && !isFences(value.fence)) return '"fence" is no list of fences';
  // Every member has been checked above.
  return times(value) ?? (value as unknown as GrantClaims);
}

function times({ iat, exp, expMs }: Record<string, unknown>): string | undefined {
  if (!isInstant(iat)) return '"iat" is no time';
  if (!isInstant(exp)) return '"exp" is no time';
  if (expMs !== undefined && !isInstant(expMs)) return '"expMs" is no time';
  // One second more, as "iat" is rounded down and "exp" up.
  const lifeMsMax = grantLimits.grantMsMax + 1_000;
  return (exp - iat) * 1_000 > lifeMsMax ? 'it would live longer than a grant may' : undefined;
}

function isFences(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((item) => isObject(item) && isText(item.resource) && isInstant(item.fence))
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function isInstant(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
