import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Keeper } from '../../keeper/index.ts';
import { fault, isPortFree, type Log, toFault } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import {
  connectTelemetry,
  readTelemetryFile,
  settingsHash,
  type Telemetry,
  type TelemetryFile,
  type TelemetrySettings,
  type TelemetryStatus,
  telemetryMain,
  writeTelemetrySettings,
} from '../../telemetry/index.ts';
import type { WorkspacePlace } from '../place.ts';
import { ToldSecrets } from '../telemetry/secrets-feed.ts';
import { startChild } from './start-child.ts';
import { TelemetrySilence } from './telemetry-silence.ts';

const startMsMax = 10_000;
const lookEveryMs = 25;
const program = { name: 'telemetry', main: telemetryMain, restartAfterMs: 50 };
/** Otherwise each service that is started would wait for it. */
const tryAgainAfterMs = 30_000;

export interface TelemetryProcess {
  readonly client: Telemetry;
  /**
   * Started if necessary. Undefined if telemetry is off or cannot start: nobody waits for it then.
   */
  ensure(): Promise<TelemetryFile | undefined>;
  /** Periodic: a process that the keeper has restarted must get everything again. */
  look(): Promise<void>;
  /** Null if telemetry is off, or nothing has needed it yet. */
  status(): Promise<TelemetryStatus | null>;
  /** Why it does not run although it is needed; null if nothing is wrong. */
  problem(): string | null;
}

export interface TelemetryDeps {
  readonly place: WorkspacePlace;
  readonly config: Config;
  readonly log: Log;
  keeper(): Promise<Keeper>;
}

/** Telemetry as a child of the keeper, started with the first service. */
export function createTelemetry(deps: TelemetryDeps): TelemetryProcess {
  const { place, config, log } = deps;
  const client = connectTelemetry(place.state);
  const secrets = new ToldSecrets(client);
  let starting: Promise<TelemetryFile | undefined> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let problem: string | null = null;
  const start = async (): Promise<TelemetryFile | undefined> => {
    try {
      const file = await ensureRunning(deps, client);
      await secrets.tell(file.pid);
      problem = null;
      return file;
    } catch (error) {
      // The system starts without telemetry: the observer must never stop the system.
      const report = toFault(error).report();
      log('warn', 'telemetry-not-started', report);
      problem = `${report.message} ${report.remedy}`;
      failedAt = performance.now();
      return undefined;
    } finally {
      starting = undefined;
    }
  };
  const ensure = async (): Promise<TelemetryFile | undefined> => {
    const isHopeless = performance.now() - failedAt < tryAgainAfterMs;
    if (!config.telemetry.enabled || isHopeless) return undefined;
    starting ??= start();
    return starting;
  };
  const silence = new TelemetrySilence({
    answers: async () => (await client.ask('GET /control/status').catch(() => null)) !== null,
    isRunning: async () => isRunning(await deps.keeper()),
    replace: ensure,
    nowMs: () => performance.now(),
  });
  return {
    client,
    ensure,
    look: async () => {
      const file = readTelemetryFile(place.state);
      if (!file || !config.telemetry.enabled) return;
      await silence.look();
      await secrets.tell(file.pid);
    },
    status: async () =>
      config.telemetry.enabled ? client.ask('GET /control/status').catch(() => null) : null,
    problem: () => problem,
  };
}

async function ensureRunning(deps: TelemetryDeps, client: Telemetry): Promise<TelemetryFile> {
  const { place, config } = deps;
  const settings = settingsOf(config);
  const known = await client.ask('GET /control/status').catch(() => null);
  if (known?.settings !== settingsHash(settings)) {
    await start(deps, settings);
    await untilAnswers(deps, client, settingsHash(settings));
  }
  const file = readTelemetryFile(place.state);
  if (file) return file;
  throw fault('TELEMETRY_UNREACHABLE', { reason: 'it did not say where it listens' });
}

function settingsOf({ telemetry }: Config): TelemetrySettings {
  const { port = 0, grpcPort = 0, retention, export: copies } = telemetry;
  return { port, grpcPort, retention, ...(copies ? { export: copies } : {}) };
}

/** A process with other settings is ended first. The keeper restarts it when it is killed. */
async function start({ place, keeper }: TelemetryDeps, settings: TelemetrySettings): Promise<void> {
  const kept = await keeper();
  const child = (await kept.list()).find(({ name }) => name === 'telemetry');
  if (child) {
    await kept.stop('telemetry');
    await kept.forget('telemetry');
  }
  for (const port of [settings.port, settings.grpcPort]) await checkFree(port);
  writeTelemetrySettings(place.state, settings);
  await startChild(kept, place, program);
}

/** Reported here at once, because the process itself could only exit again and again. */
async function checkFree(port: number): Promise<void> {
  if (port === 0 || (await isPortFree(port, '127.0.0.1'))) return;
  throw fault('TELEMETRY_PORT_TAKEN', { port, reason: 'another program has it' });
}

async function untilAnswers(
  { place, keeper }: TelemetryDeps,
  client: Telemetry,
  settings: string,
): Promise<void> {
  const deadline = performance.now() + startMsMax;
  while (performance.now() < deadline) {
    const status = await client.ask('GET /control/status').catch(() => null);
    if (status?.settings === settings) return;
    if (await isHopeless(await keeper())) break;
    await delay(lookEveryMs);
  }
  const reason = `${join(place.logs, 'telemetry.log')} tells why`;
  throw fault('PROCESS_START_FAILED', { name: 'telemetry', reason });
}

async function isRunning(keeper: Keeper): Promise<boolean> {
  const child = (await keeper.list()).find(({ name }) => name === 'telemetry');
  return child?.state === 'running';
}

/** After this many failures another attempt is pointless, and nobody waits for it. */
const failuresMost = 2;

async function isHopeless(keeper: Keeper): Promise<boolean> {
  const child = (await keeper.list()).find(({ name }) => name === 'telemetry');
  if (child === undefined || child.restarts >= failuresMost) return true;
  return child.state === 'exited' && child.restartAt === null;
}
