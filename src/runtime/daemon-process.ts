import { writeSync } from 'node:fs';
import { createClock, createLog, toFault } from '../kernel/index.ts';
import { startDaemon } from './daemon.ts';
import { findPlace } from './place.ts';

/** The daemon's process: `daemon-main <directory>`. Its log is its standard output. */
const log = createLog('daemon', createClock(), write);

/** Not through the stream, which would fail for good on a full disk and log each failure again. */
function write(line: string): void {
  try {
    writeSync(process.stdout.fd, line);
  } catch {
    // The line is lost. Every caller gets the full disk as a fault.
  }
}

async function main(directory: string): Promise<void> {
  const daemon = await startDaemon(findPlace('.', directory), log);
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await daemon.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

// A failure to write the log must not be logged: that would never end.
process.stdout.on('error', () => {});

/** An unhandled rejection must not end a process that others depend on, but it is logged. */
process.on('unhandledRejection', (error) => log('error', 'unhandled', describe(error)));
process.on('uncaughtException', (error) => log('error', 'unhandled', describe(error)));

function describe(error: unknown): Record<string, string | boolean> {
  const { details: _, ...report } = toFault(error).report();
  return { ...report, cause: (error as Error)?.stack ?? '' } as Record<string, string | boolean>;
}

main(process.argv[2] ?? '.').catch((error) => {
  log('error', 'start-failed', describe(error));
  process.exit(3);
});
