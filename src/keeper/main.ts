import { createClock, createLog, fault, isFault, toFault } from '../kernel/index.ts';
import { runKeeper } from './keeper.ts';
import { exitWhenInUse } from './protocol/protocol.ts';

// node src/keeper/main.ts <stateDirectory>
try {
  const stateDirectory = process.argv[2];
  if (!stateDirectory) throw usage();
  await runKeeper(stateDirectory);
  process.exit(0);
} catch (error) {
  // There may be no log file yet, and it may belong to another keeper.
  const log = createLog('keeper', createClock(), (line) => process.stderr.write(line));
  log('error', 'keeper-not-started', toFault(error).report());
  process.exit(isFault(error, 'DIRECTORY_IN_USE') ? exitWhenInUse : 1);
}

function usage(): Error {
  return fault('USAGE', { reason: 'The state directory is missing.', help: 'src/keeper/main.ts' });
}
