import type { JsonObject } from '../kernel/index.ts';
import type { Entry, Ledger, Projection } from '../ledger/index.ts';
import type { AlertRecord } from './api-schema.ts';
import type { AlertNotice } from './heard-alert.ts';
import { alertLimits } from './limits.ts';

export const alertPrefix = 'alert/';

/** The last that was said of each alert. */
export const raisedAlerts: Projection = {
  kinds: ['alert-raised', 'alert-resolved'],
  keys: ({ body }) => [alertKey(body)],
  apply: (rows, entry) => rows.set(alertKey(entry.body), rowOf(entry)),
};

export function alertKey({ alert, source, fingerprint }: JsonObject): string {
  const name = fingerprint === undefined ? String(alert) : `${source}/${fingerprint}`;
  return alertPrefix + name;
}

function rowOf({ kind, body, at, seq }: Entry): AlertRecord {
  const { alert, service, metric, source = 'surety', note = '', startsAt = '' } = body;
  const { incident = null } = body as { incident?: string | null };
  const { from = null, to = null } = body as { from?: number | null; to?: number | null };
  return {
    alert: String(alert),
    state: kind === 'alert-raised' ? 'firing' : 'resolved',
    source: String(source),
    service: String(service),
    metric: String(metric),
    from,
    to,
    note: String(note),
    startsAt: String(startsAt),
    incident,
    at,
    seq,
  };
}

/** Whoever tells the same again and again is heard once. */
export function isNews(row: AlertRecord | undefined, { state, startsAt }: AlertNotice): boolean {
  if (state === 'resolved') return row?.state === 'firing';
  return row?.state !== 'firing' || row.startsAt !== startsAt;
}

/** Those that were said something of last, and of how many. */
export async function newestAlerts(
  ledger: Ledger,
): Promise<{ alerts: AlertRecord[]; all: number }> {
  const alerts: AlertRecord[] = [];
  for await (const { value } of ledger.rows<AlertRecord>(alertPrefix)) alerts.push(value);
  const newest = alerts.toSorted((left, right) => right.seq - left.seq);
  return { alerts: newest.slice(0, alertLimits.alertsPageMax), all: alerts.length };
}
