export {
  acknowledgedKind,
  isGivenUp,
  type LostHistory,
  readAcknowledgement,
} from './acknowledgement.ts';
export { CheckpointSigner, type SignerDeps } from './checkpoint-signer.ts';
export { checkConsistency, parseProofLine, proveConsistency } from './consistency-proof.ts';
export { findDivergence } from './divergence.ts';
export {
  type EvidenceBundle,
  exportEvidence,
  parseEvidence,
  verifyEvidence,
} from './evidence-bundle.ts';
export { type SignedHead, signedHeadFile } from './signed-head.ts';
export {
  formatStatement,
  parseStatement,
  statementAnchor,
  type WitnessStatement,
} from './witness-statement.ts';
