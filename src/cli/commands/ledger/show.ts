import { fault } from '../../../kernel/index.ts';
import { readContent, readEntry } from '../../../ledger/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import type { RunCommand } from '../../command.ts';
import { wholeNumber } from '../../options/whole-number.ts';

export const run: RunCommand = async ({ place, output, words: [wanted] }) => {
  const seq = wholeNumber('<seq>', wanted, 0);
  const reader = await openLedgerReader(place);
  try {
    const [stored] = await reader.entries(seq, 1);
    if (stored?.seq !== seq) throw fault('NOT_FOUND', { what: `entry ${seq}` });
    const entry = readEntry(stored);
    const contents = (await reader.contents(seq)).map(readContent);
    output.value({ entry, contents });
    for (const [name, value] of Object.entries(entry)) {
      output.line(`${output.tone('dim', name.padEnd(10))} ${show(name, value)}`);
    }
    for (const { name, subject, value, shreddedBy } of contents) {
      const text =
        shreddedBy === undefined
          ? JSON.stringify(value, null, 2)
          : `destroyed by entry ${shreddedBy}`;
      output.line(
        `${output.tone('bold', name)} ${output.tone('dim', `(about ${subject})`)}\n${text}`,
      );
    }
    return;
  } finally {
    await reader.close();
  }
};

function show(name: string, value: unknown): string {
  if (name === 'at') return `${value} (${new Date(value as number).toISOString()})`;
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}
