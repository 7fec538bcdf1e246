import { createClock, createLog, fault, toFault } from '../kernel/index.ts';
import { runTelemetry } from './process.ts';

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
  log('error', 'telemetry-not-started', toFault(error).report());
  process.exit(1);
}
