import type { Server } from 'node:http';
import { recoverInterrupted } from '../gate/index.ts';
import { createApi } from '../http/api.ts';
import { AlertWatch } from '../investigate/index.ts';
import {
  type Clock,
  createClock,
  createIdentifiers,
  type Log,
  lockDirectory,
  openSigningKey,
  redactSecrets,
  systemRandom,
  toFault,
} from '../kernel/index.ts';
import { type Ledger, openLedger } from '../ledger/index.ts';
import type { Config } from '../system/index.ts';
import { createFeatures, type Features } from './features.ts';
import { createHandlers } from './handlers.ts';
import { openIdentities } from './identities.ts';
import { watchKeeper } from './keeper-watch.ts';
import { closeServer, listen } from './listen.ts';
import { loadConfig } from './load-config.ts';
import { checkNotEmptied, openStore } from './open-store.ts';
import type { Place } from './place.ts';
import { projections } from './projections.ts';
import { openExecutor, removeDaemonFile, writeDaemonFile } from './state-files.ts';
import { readVersion } from './version.ts';

export interface Daemon {
  readonly port: number;
  stop(): Promise<void>;
}

/** Locks the directory, opens the ledger, settles what a crash left open, then serves. */
export async function startDaemon(place: Place, log: Log): Promise<Daemon> {
  const lock = lockDirectory(place.state, 'daemon');
  try {
    const config = loadConfig(place);
    const clock = createClock();
    const ledger = await openWorkspaceLedger(place, config, clock, log);
    const executor = openExecutor(place);
    const gate = { ledger, executor, makeIdentifier: createIdentifiers(clock, systemRandom) };
    const interrupted = await recoverInterrupted(gate);
    const startedAt = clock.now();
    const version = readVersion();
    await ledger.append(lifeEntry('daemon-started', { executor, version, node: process.version }));

    const keeper = watchKeeper(place.state, log);
    const features = await createFeatures({ ...gate, place, config, clock, keeper });
    const chores = startChores(features, config, log);
    const leaving = new AbortController();
    const handlers = createHandlers({
      ...features,
      keeper,
      place,
      config,
      version,
      startedAt,
      interrupted,
      leaving: leaving.signal,
    });
    const api = createApi({ handlers, identify: openIdentities(place, config), log });
    const server = await listen(api, config.api.port);
    writeDaemonFile(place, { pid: process.pid, port: server.port, startedAt });
    log('info', 'daemon-started', { port: server.port, pid: process.pid, interrupted });

    const stop = async (): Promise<void> => {
      removeDaemonFile(place);
      leaving.abort();
      clearInterval(chores);
      keeper.stop();
      await endServing(server.server, ledger, log);
      lock.release();
      log('info', 'daemon-stopped', {});
    };
    return { port: server.port, stop };
  } catch (error) {
    lock.release();
    throw error;
  }
}

const choresEveryMs = 1_000;

/** What has to be looked after now and then: lanes whose time is over, metrics that rise. */
function startChores({ lanes, ledger }: Features, config: Config, log: Log): NodeJS.Timeout {
  const alerts = new AlertWatch({ config, ledger });
  const report = (error: unknown): void => log('warn', 'chore-failed', toFault(error).report());
  const work = (): void => {
    lanes.reap().catch(report);
    alerts.look().catch(report);
  };
  return setInterval(work, choresEveryMs).unref();
}

async function openWorkspaceLedger(
  place: Place,
  config: Config,
  clock: Clock,
  log: Log,
): Promise<Ledger> {
  const key = openSigningKey(place.keyFile);
  checkNotEmptied(place);
  const store = await openStore(place, config);
  const onCheckpointError = (error: unknown): void =>
    log('error', 'checkpoint-failed', toFault(error).report());
  try {
    return await openLedger({
      store,
      clock,
      random: systemRandom,
      redact: redactSecrets,
      key,
      projections,
      onCheckpointError,
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Requests under way are answered first; a store that is away must not keep us from leaving. */
async function endServing(server: Server, ledger: Ledger, log: Log): Promise<void> {
  await closeServer(server);
  try {
    await ledger.append(lifeEntry('daemon-stopped', {}));
  } catch (error) {
    log('warn', 'stop-not-recorded', toFault(error).report());
  }
  await ledger.close();
}

function lifeEntry(kind: string, body: Record<string, string>): Parameters<Ledger['append']>[0] {
  return { kind, actor: 'surety:daemon', body: { ...body, pid: process.pid } };
}
