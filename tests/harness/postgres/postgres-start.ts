import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-ports.ts';
import { dataDirectory } from './postgres-cluster.ts';
import { databaseUrl, untilReady } from './postgres-connection.ts';
import { postgresLimits } from './postgres-limits.ts';
import { logFile } from './postgres-messages.ts';
import type { SupervisedServer } from './postgres-supervised.ts';

/** Children of a killed server hold its shared memory until they notice. */
const oldChildren = /pre-existing shared memory block/;

/** Somebody may take a free port between our look and the server's, or while it is down. */
const portTaken = /could not create any TCP/;

/** The first start, on `fixed` or on whichever port is free; returns the port. */
export async function firstStart(server: SupervisedServer, fixed?: number): Promise<number> {
  if (fixed !== undefined) return startAndWait(server, fixed);
  return retry([portTaken], async () => startAndWait(server, await freePort()));
}

/** On the same port as before, however the server ended. */
export async function startAgain(server: SupervisedServer, port: number): Promise<void> {
  await retry([oldChildren, portTaken], () => startAndWait(server, port));
}

async function startAndWait(server: SupervisedServer, port: number): Promise<number> {
  await server.start(port);
  const outcome = await untilReady({
    url: databaseUrl(port),
    data: dataDirectory(server.directory),
    isRunning: () => server.running,
  });
  if (outcome === 'ready') return port;
  throw new Error(startFailure(port, outcome, await readFile(logFile(server.directory), 'utf8')));
}

/** Tries again while the failure names trouble that passes by itself, for a limited time. */
async function retry<Result>(passing: RegExp[], attempt: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + postgresLimits.retryMsMax;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const passes = passing.some((trouble) => trouble.test((error as Error).message));
      if (!passes || performance.now() > deadline) throw error;
      await delay(postgresLimits.retryMs);
    }
  }
}

function startFailure(port: number, outcome: 'ended' | 'late', log: string): string {
  const lines = log.trimEnd().split('\n').slice(-postgresLimits.logLinesMax).join('\n');
  const what = outcome === 'ended' ? 'ended while starting' : 'did not answer in time';
  return `PostgreSQL ${what} on port ${port}. The end of its log:\n${lines}`;
}
