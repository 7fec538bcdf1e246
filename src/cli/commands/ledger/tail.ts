import { readEntry } from '../../../ledger/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { wholeNumber } from '../../options/whole-number.ts';

export const run: RunCommand = async ({ place, output, options }) => {
  const count = wholeNumber('--lines', options.lines, 20);
  const show = (entry: ShownEntry): void => {
    output.value(entry);
    output.line(entryLine(entry, output));
  };
  const reader = await openLedgerReader(place);
  const { seq } = await reader.head();
  const from = Math.max(1, seq - count + 1);
  if (!options.follow) {
    for await (const page of reader.scanEntries(from)) {
      for (const stored of page) show(readEntry(stored));
    }
    await reader.close();
    return;
  }
  await reader.close();
  for await (const entry of connectDaemon(place).stream('GET /v1/entries/stream', {
    query: { from },
  })) {
    show(entry);
  }
  output.line(output.tone('dim', 'The daemon has stopped; the ledger gets no new entries.'));
};

interface ShownEntry {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly actor: string;
  readonly body: object;
}

const bodyCharactersShown = 90;

/** One entry on one line of a terminal. */
function entryLine({ seq, at, kind, actor, body }: ShownEntry, output: Output): string {
  const time = new Date(at).toISOString().replace('T', ' ').slice(0, 23);
  const { contents: _, ...facts } = body as Record<string, unknown>;
  const text = JSON.stringify(facts);
  const short = text.length > bodyCharactersShown ? `${text.slice(0, bodyCharactersShown)}…` : text;
  const number = output.tone('bold', String(seq).padStart(6));
  return `${number}  ${output.tone('dim', time)}  ${kind.padEnd(18)}  ${actor.padEnd(14)}  ${short}`;
}
