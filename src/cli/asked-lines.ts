import type { Output } from './output.ts';

interface Asked {
  readonly query: string;
  readonly searched: string;
  readonly from?: number;
  readonly until?: number;
  readonly isCut: boolean;
}

/** Below every answer: from when to when, what was looked through, and what exactly was asked. */
export function showAsked({ query, searched, from, until, isCut }: Asked, output: Output): void {
  const dim = (text: string): void => output.line(output.tone('dim', text));
  if (isCut) output.line(output.tone('warn', 'There may be more: ask for a higher --limit.'));
  output.line('');
  if (until !== undefined) dim(`range     ${moment(from ?? 0)} to ${moment(until)}`);
  dim(`searched  ${searched}`);
  const [first = '', ...rest] = query.split('\n');
  dim(`query     ${first}`);
  for (const line of rest) dim(`          ${line}`);
}

function moment(at: number): string {
  return at === 0 ? 'as far back as anything is kept' : new Date(at).toISOString();
}
