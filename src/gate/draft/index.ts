export { draftPolicy, type PolicyDraft } from './draft-policy.ts';
