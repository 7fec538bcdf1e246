import { Projections, rebuildRows } from '../../../ledger/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import { projections } from '../../../runtime/compose/projections.ts';
import { exitCodes, type RunCommand } from '../../command.ts';

export const run: RunCommand = async ({ place, output }) => {
  const reader = await openLedgerReader(place);
  output.progress('computing all rows …');
  const rebuilt = await rebuildRows(reader, new Projections(projections));
  await reader.close();
  const { entries, rows, differences } = rebuilt;
  output.value({ ok: differences.length === 0, ...rebuilt });
  if (differences.length === 0) {
    output.line(`${output.tone('good', 'ok')}  ${rows} rows follow from ${entries} entries`);
    return exitCodes.ok;
  }
  output.line(`${output.tone('bad', 'bad')}  rows that do not follow from the chain:`);
  for (const { key, expected, stored } of differences) {
    output.line(
      `    ${key}\n      by the chain  ${expected ?? 'no such row'}\n      stored        ${stored ?? 'no such row'}`,
    );
  }
  return exitCodes.bad;
};
