export type ProblemKind =
  | 'edited'
  | 'dropped'
  | 'reordered'
  | 'truncated'
  | 'appended'
  | 'rewritten'
  | 'content-edited'
  | 'content-missing'
  | 'checkpoint-invalid'
  | 'unreadable';

/** The first thing that is wrong; what follows it in the chain is a consequence. */
export interface LedgerProblem {
  readonly seq: number;
  readonly kind: ProblemKind;
  readonly detail: string;
}
