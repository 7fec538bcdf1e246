import { existsSync, readFileSync } from 'node:fs';
import { fault, lockDirectory, verifyingKey } from '../../../kernel/index.ts';
import { importLedger, openExport, Projections, verifyLedger } from '../../../ledger/index.ts';
import { openStore } from '../../../runtime/compose/open-store.ts';
import { projections } from '../../../runtime/compose/projections.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import { exitCodes, type RunCommand } from '../../command.ts';

export const run: RunCommand = async ({ place, output, words: [file = ''], options }) => {
  const key = String(options.key ?? '');
  if (!existsSync(key)) {
    const reason = 'importing needs --key <public key of whoever exported it>';
    throw fault('USAGE', { reason, help: 'surety ledger import --help' });
  }
  const source = await openExport(file);
  const trustedKeys = [verifyingKey(readFileSync(key, 'utf8'))];
  const { problem } = await verifyLedger(source, { trustedKeys });
  if (problem) {
    output.value({ imported: 0, problem });
    output.line(
      `${output.tone('bad', 'bad')}  entry ${problem.seq} was ${problem.kind}: ${problem.detail}`,
    );
    output.line('    nothing was imported');
    return exitCodes.bad;
  }
  const lock = lockDirectory(place.state, 'daemon');
  const config = { ...loadConfig(place), workspace: source.workspace };
  const store = await openStore(place, config);
  try {
    const imported = await importLedger(source, store, new Projections(projections));
    output.value({ imported, workspace: source.workspace });
    output.line(
      `${output.tone('good', 'imported')}  ${imported} entries of workspace ${source.workspace}`,
    );
    return;
  } finally {
    await store.close();
    lock.release();
  }
};
