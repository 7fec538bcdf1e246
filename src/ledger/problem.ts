export type ProblemKind =
  | 'edited'
  | 'dropped'
  | 'reordered'
  | 'truncated'
  | 'rolled-back'
  | 'appended'
  | 'rewritten'
  | 'content-edited'
  | 'content-missing'
  | 'checkpoint-invalid'
  | 'checkpoint-missing'
  | 'unsigned'
  | 'unreadable';

/** The first thing that is wrong; what follows it in the chain is a consequence. */
export interface LedgerProblem {
  readonly seq: number;
  readonly kind: ProblemKind;
  readonly detail: string;
}
