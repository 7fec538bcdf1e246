export type { GrantClaims } from './claims.ts';
export {
  type GrantJwk,
  type GrantJwks,
  grantAlgorithm,
  grantType,
  type ReadGrant,
  readGrant,
} from './read-grant.ts';
/** @deprecated Former names, which keep working for one release. */
export type { GrantRefusal, GrantRefusal as Refusal, RefusalCode } from './refusal.ts';
export {
  createReplayGuard,
  createReplayGuard as createSeen,
  type GrantUse,
  type ReplayGuard,
  type ReplayGuard as Seen,
} from './replay-guard.ts';
export type { VerifyGrantOptions as VerifyOptions } from './verify-grant.ts';
export { type VerifyGrantOptions, verifyGrant } from './verify-grant.ts';
