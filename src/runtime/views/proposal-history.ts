import { type ProposalRow, proposalKey } from '../../gate/index.ts';
import { identifierTime } from '../../kernel/index.ts';
import { type Entry, type Ledger, readRow } from '../../ledger/index.ts';
import { runtimeLimits } from '../limits.ts';
import { firstSince } from './find-entry.ts';

/** The entries about one proposal, its decision first; none if there is no such proposal. */
export async function proposalHistory(proposal: string, ledger: Ledger): Promise<Entry[]> {
  const madeAt = identifierTime(proposal, 'prop');
  if (madeAt === undefined) return [];
  const row = await readRow<ProposalRow>(ledger, proposalKey(proposal));
  const { seq: last } = await ledger.head();
  const found: Entry[] = [];
  // Nothing is about a proposal before its id was made.
  let from = row?.grantSeq ?? (await firstSince(madeAt, last, ledger));
  const first = from;
  while (from <= last && !isOver(row, found, first, from)) {
    const page = await ledger.entries(from, pageEntries);
    found.push(...page.filter(({ body }) => body.proposal === proposal));
    from = (page.at(-1)?.seq ?? last) + 1;
  }
  return found;
}

const pageEntries = 1_000;

/** Whether anything about it can still come; an id that anybody made up must not cost much. */
function isOver(
  row: ProposalRow | undefined,
  found: readonly Entry[],
  first: number,
  from: number,
): boolean {
  if (row) return row.outcomeSeq > 0 && row.recovery === null && from > row.outcomeSeq;
  const kinds = found.map(({ kind }) => kind);
  if (kinds.includes('proposal-denied')) return true;
  // A person may answer much later.
  if (kinds.includes('proposal-held')) return false;
  return from - first >= runtimeLimits.explainEntriesMax;
}
