export type { Decided, Draft, Request } from './batch-draft.ts';
export type { Checkpoint } from './checkpoint.ts';
export { addNote, type LedgerCommandDeps, shredSubject } from './commands.ts';
export type { ContentDraft } from './content.ts';
export { type Entry, type Head, isWorkspaceName } from './entry.ts';
export { type ExportLine, exportLedger } from './export.ts';
export { openExport } from './export-file.ts';
export { importLedger } from './import.ts';
export { announcedKeys, type Content, type Ledger, type LedgerDeps, openLedger } from './ledger.ts';
export { type Projection, Projections, type ReadRows, type Rows } from './projection.ts';
export { type Rebuild, type RowDifference, rebuildRows } from './rebuild.ts';
export type { Store, StoreReader } from './store.ts';
export {
  type Problem,
  type ProblemKind,
  type Verifiable,
  type Verification,
  type VerifyOptions,
  verifyLedger,
} from './verify.ts';
