export type { GrantKey } from './api-schema.ts';
export { KeyRing } from './key-ring.ts';
export { openGrant } from './open-grant.ts';
export { signGrant } from './sign-grant.ts';
