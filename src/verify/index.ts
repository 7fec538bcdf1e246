export type { Finding, Verdict } from './verdict.ts';
export { keyOf, type VerifiedChange, type VerifyDeps, verifyChange } from './verify.ts';
