export type { GrantClaims } from './claims.ts';
export {
  type GrantJwk,
  type GrantJwks,
  grantAlgorithm,
  grantType,
  type ReadGrant,
  readGrant,
} from './read-grant.ts';
export type { Refusal, RefusalCode } from './refusal.ts';
export { createSeen, type GrantUse, type Seen } from './seen.ts';
export { type VerifyOptions, verifyGrant } from './verify-grant.ts';
