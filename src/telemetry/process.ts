import {
  createClock,
  createLog,
  endSignal,
  existingDirectory,
  lockDirectory,
  surviveErrors,
} from '../kernel/index.ts';
import { openDesk } from './desk.ts';
import { openPorts } from './ports.ts';
import { readTelemetrySettings } from './settings.ts';

/**
 * A telemetry process' life, from the lock on its directory to its last row. Told no ports, it
 * takes those that were there before: services that run go on reporting to them.
 */
export async function runTelemetry(stateDirectory: string): Promise<void> {
  const directory = existingDirectory(stateDirectory, 'src/telemetry/main.ts');
  const lock = lockDirectory(directory, 'telemetry');
  const clock = createClock();
  const log = createLog('telemetry', clock, (line) => process.stdout.write(line));
  surviveErrors(log);
  const told = endSignal();
  const settings = readTelemetrySettings(directory);
  const desk = await openDesk(directory, settings, { clock, log });
  const doors = await openPorts(directory, settings, desk);
  log('info', 'telemetry-started', { pid: process.pid, ...doors.ports });

  log('info', 'telemetry-leaving', { reason: await told });
  await doors.close();
  await desk.close();
  lock.release();
}
