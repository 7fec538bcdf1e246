export { draftPolicy } from './draft-policy.ts';
export type { ToolOffer } from './tool-offer.ts';
