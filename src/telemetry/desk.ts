import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, type Log, systemRandom, tryOr, writePrivateFile } from '../kernel/index.ts';
import { createEdges, type EdgeControls } from './edges.ts';
import { telemetryLimits } from './limits.ts';
import {
  IntakeAdmission,
  KnownNames,
  LaneFinder,
  OtlpIntake,
  type ReceiverDeps,
  Senders,
  type SystemNamesUpdate,
} from './otlp/index.ts';
import type { SqlAnswer, SqlQuestion } from './query/answer.ts';
import { openQueries } from './query/queries.ts';
import type { Sink } from './rows.ts';
import { settingsHash, type TelemetrySettings } from './settings.ts';
import type { DeskStatus } from './status.ts';
import { type BatchingSink, createSink } from './store/sink.ts';
import { openStore } from './store/store.ts';
import { followOutput } from './tail/index.ts';

/** Stores everything that comes in as rows, and answers queries. */
export interface TelemetryHub {
  readonly receiver: ReceiverDeps;
  setNames(update: SystemNamesUpdate): void;
  /** Controls other than names. */
  readonly controls: EdgeControls;
  /** Receives the rows of all sources. */
  readonly sink: Sink;
  status(): DeskStatus;
  /** The metrics page for Prometheus. */
  page(): string;
  query(question: SqlQuestion): Promise<SqlAnswer>;
  close(): Promise<void>;
}

interface DeskDeps {
  readonly clock: Clock;
  readonly log: Log;
}

/** Until the secrets are known, they would be stored with the rows and could not be removed. */
const secretsUnknown =
  'telemetry was not told yet what is a secret; the daemon does so when it runs';

export async function openDesk(
  directory: string,
  settings: TelemetrySettings,
  { clock, log }: DeskDeps,
): Promise<TelemetryHub> {
  const { hours, megabytes } = settings.retention;
  const retention = { ms: hours * 3_600_000, bytes: megabytes * 1024 * 1024 };
  const store = await openStore(join(directory, 'telemetry'), { clock, retention });
  const run = Buffer.from(systemRandom(8)).toString('hex');
  const queries = openQueries(store, { abandon: () => void leave(log, batches) });
  const batches = await createSink(store, { run, relieve: () => queries.interrupt() });
  const admission = new IntakeAdmission();
  admission.closedBecause = secretsUnknown;
  const closedBecause = () => admission.closedBecause;
  const edges = createEdges({
    sink: batches,
    clock,
    export: settings.export,
    counts: () => intake.counts.all(),
    closedBecause,
  });
  const isOpen = () => closedBecause() === null;
  const output = followOutput(directory, { sink: edges.sink, clock, isOpen });
  const names = readNames(directory);
  const lanes = new LaneFinder({ names, traceSecret: readSecret(directory, 'trace-secret') });
  const intake = new OtlpIntake({ clock, sink: output.sink, names, lanes });
  const senders = new Senders(readSecret(directory, 'sender-secret'));
  const rate = new Rate(() => intake.counts.get('rows received'));
  const startedAt = clock.now();
  return {
    receiver: { intake, admission, senders, log },
    setNames: (update) => storeNames(directory, names, update),
    sink: edges.sink,
    controls: edges.controls,
    status: () => ({
      startedAt,
      settings: settingsHash(settings),
      closedBecause: closedBecause(),
      rowsPerSecond: rate.perSecond(),
      counts: { ...intake.counts.all(), ...output.counts() },
      sink: batches.status(),
      store: store.status(),
      ...edges.status(),
    }),
    page: () => edges.page(),
    query: (question) => queries.ask(question),
    async close() {
      rate.stop();
      output.close();
      await edges.close();
      await batches.close();
      await store.close();
    },
  };
}

const answerMs = 200;

/**
 * A query that cannot be stopped keeps its threads and memory until the process ends. The caller is
 * answered first, and accepted rows are stored.
 */
async function leave(log: Log, batches: BatchingSink): Promise<void> {
  log('error', 'query-unstoppable');
  await delay(answerMs);
  await Promise.race([batches.flush(), delay(telemetryLimits.telemetryStopMsMax)]);
  process.kill(process.pid, 'SIGKILL');
}

/** A secret that the daemon has made; empty if there is none. */
function readSecret(directory: string, name: string): string {
  return tryOr(() => readFileSync(join(directory, name), 'utf8').trim(), '');
}

/** The names that the daemon sent last, also for a process that is restarted without the daemon. */
function readNames(directory: string): KnownNames {
  const names = new KnownNames();
  try {
    names.tell(JSON.parse(readFileSync(pathIn(directory), 'utf8')));
  } catch {
    // No names are known yet; until then rows contain addresses.
  }
  return names;
}

function storeNames(directory: string, names: KnownNames, update: SystemNamesUpdate): void {
  names.tell(update);
  writePrivateFile(pathIn(directory), `${JSON.stringify(update)}\n`, { flush: false });
}

function pathIn(directory: string): string {
  return join(directory, 'telemetry-names.json');
}

const samplesMax = 10;

/** How much of something there was per second, recently. */
class Rate {
  readonly #total: () => number;
  readonly #samples: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(total: () => number) {
    this.#total = total;
    this.#timer = setInterval(() => this.#sample(), 1_000).unref();
  }

  perSecond(): number {
    const [first] = this.#samples;
    if (first === undefined) return 0;
    return Math.round((this.#total() - first) / this.#samples.length);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    this.#samples.push(this.#total());
    if (this.#samples.length > samplesMax) this.#samples.shift();
  }
}
