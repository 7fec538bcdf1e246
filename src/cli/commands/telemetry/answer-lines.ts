import type { Output } from '../../format/output.ts';

interface AnswerFacts {
  readonly query: string;
  readonly searched: string;
  readonly from?: number;
  readonly until?: number;
  readonly isCut: boolean;
}

/** Below every answer: the time range, what was searched, and the exact query. */
export function showAsked(
  { query, searched, from, until, isCut }: AnswerFacts,
  output: Output,
): void {
  const dim = (text: string): void => output.line(output.tone('dim', text));
  if (isCut) output.line(output.tone('warn', 'There may be more rows: use a higher --limit.'));
  output.line('');
  if (until !== undefined) dim(`range     ${moment(from ?? 0)} to ${moment(until)}`);
  dim(`searched  ${searched}`);
  dim(`query     ${folded(query)}`);
}

const shownCharsMax = 100;

/** Ready-made queries fill a screen; --json contains the whole text. */
function folded(query: string): string {
  const [first = '', ...rest] = query.split('\n');
  const isWhole = rest.length === 0 && first.length <= shownCharsMax;
  return isWhole ? first : `${first.slice(0, shownCharsMax).trimEnd()} … (--json has all of it)`;
}

function moment(at: number): string {
  return at === 0 ? 'as far back as anything is kept' : new Date(at).toISOString();
}
