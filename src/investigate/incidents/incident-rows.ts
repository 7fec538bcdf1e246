import type { JsonObject } from '../../kernel/index.ts';
import type { Entry, Ledger, Projection, ReadRows } from '../../ledger/index.ts';
import { alertKey } from '../alert-rows.ts';
import type { IncidentRecord } from '../api-schema.ts';
import { alertLimits } from '../limits.ts';

export const openIncidentsKey = 'incidents-open';
const prefix = 'incident/';

export const incidentKey = (incident: string): string => prefix + incident;

/** What the chain says of an incident so far. */
type Step = Pick<Entry, 'kind' | 'body' | 'at'>;

/** Alerts that have one cause, as far as anybody knows, and who looks after them. */
export const incidents: Projection = {
  kinds: [
    'incident-opened',
    'incident-assigned',
    'incident-closed',
    'alert-raised',
    'alert-resolved',
    'investigation-closed',
  ],
  keys: ({ body }) =>
    typeof body.incident === 'string' ? [incidentKey(body.incident), openIncidentsKey] : [],
  apply: (rows, entry) => {
    const { incident } = entry.body;
    if (typeof incident !== 'string') return;
    const row = nextIncident(rows.get<IncidentRecord>(incidentKey(incident)), entry);
    if (!row) return;
    rows.set(incidentKey(incident), row);
    const open = openIds(rows).filter((id) => id !== incident);
    rows.set(openIncidentsKey, row.state === 'open' ? [...open, incident].sort() : open);
  },
};

const openIds = (rows: ReadRows): string[] => rows.get<string[]>(openIncidentsKey) ?? [];

/** The open ones, the oldest first: identifiers are in order of time. */
export function openIncidents(rows: ReadRows): IncidentRecord[] {
  return openIds(rows).flatMap((id) => rows.get<IncidentRecord>(incidentKey(id)) ?? []);
}

const steps: Readonly<
  Record<string, (row: IncidentRecord, body: JsonObject, at: number) => Partial<IncidentRecord>>
> = {
  'incident-assigned': (_, { service, owner }) => ({
    service: String(service),
    owner: ownerIn(owner),
  }),
  'incident-closed': (_, { reason }, at) => ({
    state: 'closed',
    closedAt: at,
    reason: String(reason),
  }),
  'alert-raised': (row, body, at) => withAlert(row, body, at),
  'alert-resolved': (row, body) => ({
    alerts: row.alerts.map((one) =>
      one.key === alertKey(body) ? { ...one, state: 'resolved' as const } : one,
    ),
  }),
  'investigation-closed': ({ investigations }, { investigation }) => ({
    investigations: [...investigations, String(investigation)],
  }),
};

/** Pure: also used to decide what an alert does before it is on the chain. */
export function nextIncident(
  row: IncidentRecord | undefined,
  { kind, body, at }: Step,
): IncidentRecord | undefined {
  if (kind === 'incident-opened') return openedOf(body, at);
  return row && { ...row, ...steps[kind]?.(row, body, at) };
}

const ownerIn = (owner: unknown): string | null => (typeof owner === 'string' ? owner : null);

function openedOf({ incident, service, onset, owner }: JsonObject, at: number): IncidentRecord {
  return {
    incident: String(incident),
    state: 'open',
    service: String(service),
    owner: ownerIn(owner),
    onset: Number(onset),
    alerts: [],
    further: 0,
    openedAt: at,
    closedAt: null,
    reason: '',
    investigations: [],
  };
}

function withAlert(row: IncidentRecord, body: JsonObject, at: number): Partial<IncidentRecord> {
  const { alert, source = 'surety', service, onset } = body;
  const key = alertKey(body);
  const raised = {
    key,
    alert: String(alert),
    source: String(source),
    service: String(service),
    onset: typeof onset === 'number' ? onset : at,
    state: 'firing' as const,
  };
  const others = row.alerts.filter((one) => one.key !== key);
  if (others.length >= alertLimits.incidentAlertsMax) return { further: row.further + 1 };
  return { alerts: [...others, raised], onset: Math.min(row.onset, raised.onset) };
}

/** The newest first, and how many there are. */
export async function newestIncidents(
  ledger: Ledger,
): Promise<{ incidents: IncidentRecord[]; all: number }> {
  const found: IncidentRecord[] = [];
  for await (const { value } of ledger.rows<IncidentRecord>(prefix)) found.push(value);
  const newest = found.toSorted((left, right) => right.openedAt - left.openedAt);
  return { incidents: newest.slice(0, alertLimits.incidentsPageMax), all: found.length };
}
