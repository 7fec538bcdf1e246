import { createClock, createLog, fault } from '../kernel/index.ts';
import { runTelemetry } from './process.ts';
import { startFault } from './start-fault.ts';

// node src/telemetry/main.ts <stateDirectory>
try {
  const stateDirectory = process.argv[2];
  if (!stateDirectory) {
    const reason = 'The state directory is missing.';
    throw fault('USAGE', { reason, help: 'src/telemetry/main.ts' });
  }
  await runTelemetry(stateDirectory);
  process.exit(0);
} catch (error) {
  const log = createLog('telemetry', createClock(), (line) => process.stdout.write(line));
  log('error', 'telemetry-not-started', startFault(error, process.argv[2] ?? '').report());
  process.exit(1);
}
