import { createClock, createLog, fault, lockDirectory } from '../../../kernel/index.ts';
import { findLoss } from '../../../runtime/compose/signed-history.ts';
import { openWorkspaceLedger } from '../../../runtime/compose/workspace-ledger.ts';
import { localPerson } from '../../../runtime/identities.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import type { RunCommand } from '../../command.ts';

/** Runs without a daemon, which would not start on such a ledger. */
export const run: RunCommand = async ({ place, output, options }) => {
  const config = loadConfig(place);
  const loss = await findLoss(place, config);
  if (loss === null) {
    output.value({ acknowledged: false, loss });
    output.line('Nothing is lost: the ledger continues what was signed here.');
    return;
  }
  if (!options.yes) {
    output.value({ acknowledged: false, loss });
    output.line(`${output.tone('bad', 'lost')}  ${loss}`);
    output.line('    If a newer copy of the database exists, restore it instead.');
    output.line('    try  surety ledger acknowledge --yes --reason "what happened"');
    return;
  }
  const reason = String(options.reason ?? '').trim();
  if (reason === '') {
    const help = 'surety ledger acknowledge --help';
    throw fault('USAGE', { reason: 'an acknowledgement needs --reason <text>', help });
  }
  const lock = lockDirectory(place.state, 'daemon');
  try {
    const clock = createClock();
    const log = createLog('cli', clock, () => undefined);
    const acknowledgement = { actor: localPerson(), reason };
    const ledger = await openWorkspaceLedger(place, config, clock, log, acknowledgement);
    const { seq, hash } = await ledger.head();
    await ledger.close();
    output.value({ acknowledged: true, loss, entry: seq, hash });
    output.line(`${output.tone('good', 'acknowledged')}  entry ${seq}, hash ${hash}`);
    output.line('    Keep this line elsewhere. Then: surety up');
  } finally {
    lock.release();
  }
};
