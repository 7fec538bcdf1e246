import { readEntry } from '../../../ledger/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { wholeNumber } from '../../options/whole-number.ts';
import { entryLine, type ShownEntry } from './entry-line.ts';

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
    return exitCodes.ok;
  }
  await reader.close();
  for await (const entry of connectDaemon(place).stream('GET /v1/entries/stream', {
    query: { from },
  })) {
    show(entry);
  }
  output.line(output.tone('dim', 'The daemon has stopped; the ledger gets no new entries.'));
  return exitCodes.ok;
};
