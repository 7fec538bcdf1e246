import { newestAlerts } from '../../investigate/index.ts';
import { type Lane, readDeployments } from '../../lanes/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type {
  RecordedRows,
  ScrapeTarget,
  SystemNamesUpdate,
  Telemetry,
} from '../../telemetry/index.ts';

export interface FeedDeps {
  readonly ledger: Ledger;
  readonly telemetry: Telemetry;
  /** The pid of the running process; undefined if there is none. */
  readonly pid: () => number | undefined;
  readonly lanes: () => Promise<readonly Lane[]>;
  readonly names: (lanes: readonly Lane[]) => SystemNamesUpdate;
  readonly targets: (lanes: readonly Lane[]) => Promise<readonly ScrapeTarget[]>;
}

interface TimedRow {
  readonly at: number;
  readonly seq: number;
}

/** The last row that was sent: at first by its time in the store, then by its entry. */
interface Mark {
  readonly time: bigint;
  readonly seq: number;
}

const noMark: Mark = { time: 0n, seq: 0 };

/**
 * Sends telemetry the facts of the ledger: deployments and alerts, names of services, and scrape
 * targets. A process that lost its rows gets the last ones again: its newest row shows the last
 * entry that it got.
 */
export class TelemetryFeed {
  readonly #deps: FeedDeps;
  #pid: number | undefined;
  #head = -1;
  #marks = { deployments: noMark, alerts: noMark };
  #told = '';
  #isLooking = false;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  /** Cheap while nothing happens. */
  async look(): Promise<void> {
    const pid = this.#deps.pid();
    if (pid === undefined || this.#isLooking) return;
    this.#isLooking = true;
    try {
      if (pid !== this.#pid) await this.#meet(pid);
      const { seq } = await this.#deps.ledger.head();
      if (seq === this.#head) return;
      await this.#tellSystem();
      // Refused rows are sent again the next time.
      if (await this.#tellRows()) this.#head = seq;
    } finally {
      this.#isLooking = false;
    }
  }

  async #meet(pid: number): Promise<void> {
    const [deployments, alerts] = [await this.#mark('deployments'), await this.#mark('alerts')];
    this.#marks = { deployments, alerts };
    this.#told = '';
    this.#head = -1;
    this.#pid = pid;
  }

  async #mark(view: 'deployments' | 'alerts'): Promise<Mark> {
    const sql = markQuery(view);
    const { rows } = await this.#deps.telemetry.ask('POST /control/query', { sql });
    const mark = rows[0]?.[0];
    return { time: typeof mark === 'string' && /^\d+$/.test(mark) ? BigInt(mark) : 0n, seq: 0 };
  }

  async #tellSystem(): Promise<void> {
    const { telemetry, names, targets, lanes: readLanes } = this.#deps;
    const lanes = await readLanes();
    const [system, scraped] = [names(lanes), { targets: await targets(lanes) }];
    const told = JSON.stringify([system, scraped]);
    if (told === this.#told) return;
    await telemetry.ask('PUT /control/names', system);
    await telemetry.ask('PUT /control/targets', scraped);
    this.#told = told;
  }

  /** Whether all of them were accepted. */
  async #tellRows(): Promise<boolean> {
    const { ledger } = this.#deps;
    const { alerts } = await newestAlerts(ledger);
    const named = alerts.map(({ alert, ...rest }) => ({ ...rest, name: alert, labels: '{}' }));
    const deployed = await this.#tellNewer('deployments', await readDeployments(ledger));
    return (await this.#tellNewer('alerts', named)) && deployed;
  }

  /** If rows do not fit, the last ones are refused. */
  async #tellNewer<View extends 'deployments' | 'alerts'>(
    view: View,
    known: readonly (TimedRow & NonNullable<RecordedRows[View]>[number])[],
  ): Promise<boolean> {
    const rows = newer(known, this.#marks[view]);
    if (rows.length === 0) return true;
    const { refused } = await this.#deps.telemetry.ask('POST /control/record', { [view]: rows });
    const taken = rows.slice(0, rows.length - refused);
    this.#marks = { ...this.#marks, [view]: markOf(taken, this.#marks[view]) };
    return refused === 0;
  }
}

/** The time of the newest row, in digits, because a JSON number cannot hold it. */
export function markQuery(view: string): string {
  return `SELECT CAST(epoch_ns(max(time)) AS VARCHAR) AS mark FROM ${view}`;
}

type FeedBatch<Row> = Row & { readonly atNs: string };

function newer<Row extends TimedRow>(rows: readonly Row[], mark: Mark): FeedBatch<Row>[] {
  return rows
    .filter((row) => row.seq > mark.seq && timeOf(row) > mark.time)
    .sort((one, other) => one.seq - other.seq)
    .map((row) => ({ ...row, atNs: timeOf(row).toString() }));
}

/**
 * Distinguishes entries of one millisecond: the microseconds are the last digits of the entry's
 * number, since the store has no finer times.
 */
function timeOf({ at, seq }: TimedRow): bigint {
  return BigInt(at) * 1_000_000n + BigInt(seq % 1_000) * 1_000n;
}

function markOf(rows: readonly TimedRow[], { time, seq: before }: Mark): Mark {
  return { time, seq: rows.reduce((most, { seq }) => Math.max(most, seq), before) };
}
