import type { Actor, JsonObject } from '../kernel/index.ts';
import type { Draft, Entry, Ledger, Projection } from '../ledger/index.ts';
import type { AlertRecord, ReceivedAlert } from './api-schema.ts';
import type { AlertNotice } from './heard-alert.ts';
import { alertLimits } from './limits.ts';

export const alertPrefix = 'alert/';

/** The last that was said of each alert. */
export const raisedAlerts: Projection = {
  kinds: ['alert-raised', 'alert-resolved'],
  keys: ({ body }) => [keyOf(body)],
  apply: (rows, entry) => rows.set(keyOf(entry.body), rowOf(entry)),
};

function keyOf({ alert, source, fingerprint }: JsonObject): string {
  const name = fingerprint === undefined ? String(alert) : `${source}/${fingerprint}`;
  return alertPrefix + name;
}

function rowOf({ kind, body, at, seq }: Entry): AlertRecord {
  const { alert, service, metric, source = 'surety', note = '', startsAt = '' } = body;
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
    at,
    seq,
  };
}

/** Puts what is new on the chain; whoever tells the same again and again is heard once. */
export function hearAlerts(
  actor: Actor,
  notices: readonly AlertNotice[],
  ledger: Ledger,
): Promise<ReceivedAlert> {
  const keys = new Map(notices.map((notice) => [keyOf({ ...notice }), notice]));
  return ledger.transact({
    keys: [...keys.keys()],
    decide: (rows) => {
      const fresh = [...keys].filter(([key, notice]) => isNews(rows.get<AlertRecord>(key), notice));
      const heard = { recorded: fresh.length, known: notices.length - fresh.length };
      const drafts = fresh.map(([, notice]) => draftOf(actor, notice));
      return { drafts, result: () => heard };
    },
  });
}

function isNews(row: AlertRecord | undefined, { state, startsAt }: AlertNotice): boolean {
  if (state === 'resolved') return row?.state === 'firing';
  return row?.state !== 'firing' || row.startsAt !== startsAt;
}

function draftOf(actor: Actor, notice: AlertNotice): Draft {
  const { state, labels, ...body } = notice;
  const kind = state === 'firing' ? 'alert-raised' : 'alert-resolved';
  const contents = [{ name: 'labels', subject: actor, value: labels }];
  return { kind, actor, body, contents };
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
