import { runMain } from '../kernel/index.ts';
import { runTelemetry } from './process.ts';
import { startFault } from './start-fault.ts';

await runMain('telemetry', runTelemetry, {
  faultOf: (error) => startFault(error, process.argv[2] ?? ''),
});
