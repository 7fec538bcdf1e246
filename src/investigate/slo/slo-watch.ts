import { type Actor, type Clock, showInstant } from '../../kernel/index.ts';
import { type Ledger, readRow } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import { alertPrefix } from '../alert-rows.ts';
import type { AlertRecord } from '../api-schema.ts';
import type { AlertNotice } from '../heard-alert.ts';
import type { QueryTelemetry } from '../telemetry-ranking.ts';
import { type BurnedBudget, burnOf, type RequestBucket } from './burn-rate.ts';
import { bucketMsOf, bucketsSql, type Objective, objectivesOf, windowMsOf } from './objectives.ts';

export interface SloWatchDeps {
  readonly config: Config;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly queryTelemetry: QueryTelemetry;
  readonly hear: (actor: Actor, notices: readonly AlertNotice[]) => Promise<unknown>;
}

/** Who raises these alerts, in rows and lists. */
export const sloSource = 'slo';

const lookEveryMs = 5_000;
/** Spans may arrive this late: their buckets are counted again. */
const lateMs = 60_000;

/** Compares the requests of services with the objectives of `slo`, and raises alerts. */
export class SloWatch {
  readonly #deps: SloWatchDeps;
  readonly #objectives: readonly Objective[];
  readonly #buckets = new Map<Objective, readonly RequestBucket[]>();
  #nextAt = 0;
  #isLooking = false;

  constructor(deps: SloWatchDeps) {
    this.#deps = deps;
    this.#objectives = objectivesOf(deps.config);
  }

  /** Called every second; asks telemetry every few seconds. */
  async look(): Promise<void> {
    const now = this.#deps.clock.now();
    if (this.#isLooking || now < this.#nextAt || this.#objectives.length === 0) return;
    this.#isLooking = true;
    try {
      for (const objective of this.#objectives) await this.#check(objective, now);
    } finally {
      this.#isLooking = false;
      this.#nextAt = now + lookEveryMs;
    }
  }

  async #check(objective: Objective, now: number): Promise<void> {
    const key = `${alertPrefix}${sloSource}/${objective.alert}`;
    const row = await readRow<AlertRecord>(this.#deps.ledger, key);
    const wasBurning = row?.state === 'firing';
    const found = burnOf(await this.#count(objective, now), objective, { now, wasBurning });
    if (found.state === 'burning' && !wasBurning) {
      await this.#tell(objective, 'firing', describe(objective, found.burned), found.burned.onset);
    }
    if (found.state === 'well' && wasBurning) {
      await this.#tell(objective, 'resolved', 'requests keep to the objective again', now);
    }
  }

  async #count(objective: Objective, now: number): Promise<readonly RequestBucket[]> {
    const known = this.#buckets.get(objective) ?? [];
    const since = now - windowMsOf(objective);
    const bucketMs = bucketMsOf(objective);
    const fresh = Math.max(since, (known.at(-1)?.at ?? 0) - lateMs);
    const from = Math.floor(fresh / bucketMs) * bucketMs;
    const rows = await this.#deps.queryTelemetry(bucketsSql(objective, from));
    const counted = rows.map(({ bucket, requests, missed }) => ({
      at: Number(bucket) * 1_000,
      requests: Number(requests),
      missed: Number(missed),
    }));
    const buckets = [...known.filter(({ at }) => at >= since && at < from), ...counted];
    this.#buckets.set(objective, buckets);
    return buckets;
  }

  async #tell(
    { alert, service, kind }: Objective,
    state: AlertNotice['state'],
    note: string,
    at: number,
  ): Promise<void> {
    const startsAt = showInstant(at);
    const about = { alert, service, metric: kind, note, source: sloSource, startsAt };
    await this.#deps.hear('surety:alerts', [{ ...about, fingerprint: alert, state, labels: {} }]);
  }
}

function describe({ kind, percent, route }: Objective, burned: BurnedBudget): string {
  const { requests, missed, minutes, rate, bound } = burned;
  const what = kind === 'availability' ? 'failed' : 'were slow';
  const where = route === undefined ? '' : ` of ${route}`;
  const times = `${Math.round(rate * 10) / 10} times as many as ${percent} % allow, the bound is ${bound}`;
  return `${missed} of ${requests} requests${where} in ${minutes} min ${what}: ${times}`;
}
