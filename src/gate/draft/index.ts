export { draftPolicy } from './draft-policy.ts';
