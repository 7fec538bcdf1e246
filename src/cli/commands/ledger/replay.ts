import { replayDecisions } from '../../../gate/index.ts';
import { Projections } from '../../../ledger/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import { projections } from '../../../runtime/compose/projections.ts';
import { exitCodes, type RunCommand } from '../../command.ts';

export const run: RunCommand = async ({ place, output }) => {
  const reader = await openLedgerReader(place);
  output.progress('repeating decisions …');
  const replayed = await replayDecisions(reader, new Projections(projections));
  await reader.close();
  const { decisions, differences } = replayed;
  output.value({ ok: differences.length === 0, ...replayed });
  if (differences.length === 0) {
    output.line(`${output.tone('good', 'ok')}  ${decisions} decisions, all the same`);
    return exitCodes.ok;
  }
  output.line(`${output.tone('bad', 'bad')}  decided differently now:`);
  for (const { seq, recorded, now } of differences) {
    output.line(`    entry ${seq}\n      then  ${recorded}\n      now   ${now}`);
  }
  return exitCodes.bad;
};
