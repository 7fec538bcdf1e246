import type { Actor, JsonObject, MakeIdentifier } from '../../kernel/index.ts';
import { type Draft, type Ledger, type ReadRows, readRow } from '../../ledger/index.ts';
import { alertKey, isNews } from '../alert-rows.ts';
import type { AlertRecord, IncidentRecord, ReceivedAlert } from '../api-schema.ts';
import type { AlertNotice } from '../heard-alert.ts';
import { alertLimits } from '../limits.ts';
import { type CallEdge, groupFor, originOf } from './group-alerts.ts';
import { incidentKey, nextIncident, openIncidents, openIncidentsKey } from './incident-rows.ts';

/** What people are told of incidents. */
export interface IncidentNotice {
  readonly event: 'incident-opened' | 'incident-closed';
  readonly facts: JsonObject;
}

export interface HearDeps {
  readonly ledger: Ledger;
  readonly makeIdentifier: MakeIdentifier;
  readonly notify: (notice: IncidentNotice) => void;
  /** Who calls whom, as far as telemetry and surety.yaml say. */
  readonly readCalls: () => Promise<readonly CallEdge[]>;
  /** Who is responsible for each service. */
  readonly readOwners: () => Promise<(service: string) => string | null>;
}

interface Known {
  readonly actor: Actor;
  readonly calls: readonly CallEdge[];
  readonly ownerOf: (service: string) => string | null;
  readonly now: number;
  /** For incidents that are opened. */
  readonly identifiers: readonly string[];
}

/** Puts what is new on the chain, in one incident for what may have one cause, and tells people. */
export async function hearAlerts(
  actor: Actor,
  notices: readonly AlertNotice[],
  deps: HearDeps,
): Promise<ReceivedAlert> {
  const { ledger, makeIdentifier } = deps;
  const isFiring = notices.some(({ state }) => state === 'firing');
  const calls = isFiring ? await deps.readCalls() : [];
  const ownerOf = await deps.readOwners();
  const byKey = new Map(notices.map((notice) => [alertKey({ ...notice }), notice]));
  // Made before: a decision is made anew whenever a row of it has to be loaded.
  const identifiers = [...byKey.keys()].map(() => makeIdentifier('inc'));
  const open = (await readRow<string[]>(ledger, openIncidentsKey)) ?? [];
  const heard = await ledger.transact({
    keys: [...byKey.keys(), openIncidentsKey, ...open.map(incidentKey)],
    freshKeys: identifiers.map(incidentKey),
    decide: (rows, now) => {
      const fresh = [...byKey].filter(([key, one]) => isNews(rows.get<AlertRecord>(key), one));
      const known = { actor, calls, ownerOf, now, identifiers };
      const book = new IncidentBook(rows, known);
      for (const [key, notice] of fresh) book.enter(key, notice);
      const counts = { recorded: fresh.length, known: notices.length - fresh.length };
      return { drafts: book.drafts, result: () => ({ counts, changed: book.changed() }) };
    },
  });
  for (const { incident, event } of heard.changed) deps.notify(noticeOf(incident, event));
  return heard.counts;
}

export function noticeOf(incident: IncidentRecord, event: IncidentNotice['event']): IncidentNotice {
  const { owner, service, onset, reason, alerts } = incident;
  const names = alerts.map(({ alert }) => alert);
  const facts = { incident: incident.incident, service, owner, onset, alerts: names };
  return { event, facts: event === 'incident-closed' ? { ...facts, reason } : facts };
}

/** The incidents while alerts are entered, and the entries that this makes. */
class IncidentBook {
  readonly drafts: Draft[] = [];
  readonly #known: Known;
  readonly #open: Map<string, IncidentRecord>;
  #opened = 0;
  readonly #events = new Map<string, IncidentNotice['event']>();

  constructor(rows: ReadRows, known: Known) {
    this.#known = known;
    this.#open = new Map(openIncidents(rows).map((row) => [row.incident, row]));
  }

  enter(key: string, notice: AlertNotice): void {
    const holder = [...this.#open.values()].find(
      ({ state, alerts }) => state === 'open' && alerts.some((one) => one.key === key),
    );
    if (notice.state === 'resolved') this.#resolve(notice, holder);
    else this.#raise(notice, holder);
  }

  changed(): { incident: IncidentRecord; event: IncidentNotice['event'] }[] {
    return [...this.#events].flatMap(([id, event]) => {
      const incident = this.#open.get(id);
      return incident ? [{ incident, event }] : [];
    });
  }

  #raise(notice: AlertNotice, holder: IncidentRecord | undefined): void {
    const { calls, now } = this.#known;
    const placed = { service: notice.service, onset: onsetOf(notice, now) };
    const open = [...this.#open.values()].filter(({ state }) => state === 'open');
    const isFull = open.length >= alertLimits.incidentsOpenMax;
    const group = holder ?? groupFor(placed, open, calls) ?? (isFull ? open.at(-1) : undefined);
    const incident = group?.incident ?? this.#openFor(placed);
    this.#add('alert-raised', { ...bodyOf(notice), incident, onset: placed.onset }, notice);
    if (group) this.#assign(incident);
  }

  #openFor({ service, onset }: { service: string; onset: number }): string {
    const { ownerOf, identifiers } = this.#known;
    const incident = identifiers[this.#opened++] ?? '';
    this.#add('incident-opened', { incident, service, onset, owner: ownerOf(service) });
    this.#events.set(incident, 'incident-opened');
    return incident;
  }

  /** An alert from deeper down says better where it begins, and so who looks after it. */
  #assign(incident: string): void {
    const { calls, ownerOf } = this.#known;
    const row = this.#open.get(incident);
    if (!row) return;
    const service = originOf(row.alerts, calls);
    if (service === row.service) return;
    this.#add('incident-assigned', { incident, service, owner: ownerOf(service) });
  }

  #resolve(notice: AlertNotice, holder: IncidentRecord | undefined): void {
    const incident = holder ? { incident: holder.incident } : {};
    this.#add('alert-resolved', { ...bodyOf(notice), ...incident }, notice);
    const row = holder && this.#open.get(holder.incident);
    if (!row || row.alerts.some(({ state }) => state === 'firing')) return;
    const reason = 'all its alerts are resolved';
    this.#add('incident-closed', { incident: row.incident, reason });
    this.#events.set(row.incident, 'incident-closed');
  }

  #add(kind: string, body: JsonObject, notice?: AlertNotice): void {
    const { actor, now } = this.#known;
    const contents = notice && [{ name: 'labels', subject: actor, value: notice.labels }];
    this.drafts.push({ kind, actor, body, ...(contents ? { contents } : {}) });
    const { incident } = body;
    if (typeof incident !== 'string') return;
    const row = nextIncident(this.#open.get(incident), { kind, body, at: now });
    if (row) this.#open.set(incident, row);
  }
}

function bodyOf({ state: _, labels: __, ...body }: AlertNotice): JsonObject {
  return { ...body };
}

const hourMs = 3_600_000;

/** When it began, as whoever raised it says; by our clock if that cannot be. */
function onsetOf({ startsAt }: AlertNotice, now: number): number {
  const said = Date.parse(startsAt);
  const isPossible = said <= now && said >= now - 24 * hourMs;
  return isPossible ? said : now;
}
