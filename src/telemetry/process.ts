import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { createClock, createLog, fault, type Log, lockDirectory } from '../kernel/index.ts';
import { openDesk } from './desk.ts';
import { openPorts } from './ports.ts';
import { readTelemetrySettings } from './settings.ts';

/**
 * A telemetry process' life, from the lock on its directory to its last row. Told no ports, it
 * takes those that were there before: services that run go on reporting to them.
 */
export async function runTelemetry(stateDirectory: string): Promise<void> {
  const directory = realDirectory(stateDirectory);
  const lock = lockDirectory(directory, 'telemetry');
  const clock = createClock();
  const log = createLog('telemetry', clock, (line) => process.stdout.write(line));
  outliveMishaps(log);
  const told = firstSignal();
  const settings = readTelemetrySettings(directory);
  const desk = await openDesk(directory, settings, { clock, log });
  const doors = await openPorts(directory, settings, desk);
  log('info', 'telemetry-started', { pid: process.pid, ...doors.ports });

  log('info', 'telemetry-leaving', { reason: await told });
  await doors.close();
  await desk.close();
  lock.release();
}

/** Taking the lock would make it: one that comes late must not bring back what was deleted. */
function realDirectory(stateDirectory: string): string {
  if (existsSync(stateDirectory)) return realpathSync(stateDirectory);
  const reason = `There is no directory ${stateDirectory}.`;
  throw fault('USAGE', { reason, help: 'src/telemetry/main.ts' });
}

/** One message that goes wrong in an unforeseen way must not take all others with it. */
function outliveMishaps(log: Log): void {
  // A log that can't be written is no reason to write into it: that would go round for ever.
  process.stdout.on('error', () => {});
  process.on('uncaughtException', (error, origin) => {
    log('error', 'mishap', { origin, reason: String(error), stack: error?.stack ?? '' });
  });
}

async function firstSignal(): Promise<string> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  return Promise.race(signals.map((signal) => once(process, signal).then(() => signal)));
}
