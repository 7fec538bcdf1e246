export type { Anchor } from './anchor.ts';
export type { Content, Entry } from './api-schema.ts';
export type { Decided, Draft, Request } from './batch-draft.ts';
export { isSignedBy } from './checkpoint.ts';
export { addNote, shredSubject } from './commands.ts';
export { type ContentDraft, readContent } from './content.ts';
export { readEntry } from './entry.ts';
export { exportLedger } from './export.ts';
export { openExport } from './export-file.ts';
export {
  checkConsistency,
  type EvidenceBundle,
  exportEvidence,
  findDivergence,
  formatStatement,
  parseEvidence,
  parseProofLine,
  parseStatement,
  proveConsistency,
  type SignedHead,
  signedHeadFile,
  statementAnchor,
  verifyEvidence,
  type WitnessStatement,
} from './history/index.ts';
export { importLedger } from './import.ts';
export { announcedKeys, type Ledger, type LedgerDeps, openLedger } from './ledger.ts';
export { MemoryRows } from './memory-rows.ts';
export { type Projection, Projections, type ReadRows, type Rows } from './projection.ts';
export { readRow } from './read-row.ts';
export { type Rebuild, rebuildRows } from './rebuild.ts';
export type { Store, StoreReader } from './store.ts';
export { type Verifiable, type Verification, verifyLedger } from './verify.ts';
