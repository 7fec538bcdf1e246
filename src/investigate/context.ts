import type { Ledger } from '../ledger/index.ts';
import { readRow } from '../ledger/index.ts';
import type { Config } from '../system/index.ts';
import { newestAlerts } from './alert-rows.ts';
import type {
  AlertRecord,
  IncidentRecord,
  Investigation,
  InvestigationRequest,
  SuspectChange,
} from './api-schema.ts';
import { findIncident } from './incidents/close-incident.ts';
import { incidentKey } from './incidents/incident-rows.ts';
import { reasonOf } from './observe.ts';
import { findSuspects, wordsOf } from './suspects.ts';
import { type QueryTelemetry, rankByTelemetry } from './telemetry-ranking.ts';

/** An alert that an investigation is about. */
export interface AskedAlert {
  readonly alert: string;
  readonly service: string;
  readonly onset: number;
}

/** What is known before anything is probed. */
export interface InvestigationContext {
  readonly incident: IncidentRecord | null;
  readonly alerts: readonly AskedAlert[];
  readonly suspects: readonly SuspectChange[];
  readonly ranking: Investigation['ranking'];
  readonly unknown: readonly string[];
}

interface ContextDeps {
  readonly ledger: Ledger;
  readonly config: Config;
  readonly queryTelemetry: QueryTelemetry;
}

export async function readContext(
  request: InvestigationRequest,
  deps: ContextDeps,
): Promise<InvestigationContext> {
  const { ledger, config, queryTelemetry } = deps;
  const { alert, question = '' } = request;
  const unknown: string[] = [];
  const raised = (await newestAlerts(ledger)).alerts.find((one) => one.alert === alert) ?? null;
  if (alert !== undefined && !raised) unknown.push(`no alert ${alert} was raised`);
  const incident = await incidentOf(request, raised, ledger);
  const alerts = alertsOf(incident, raised);
  for (const service of new Set(alerts.map((one) => one.service))) {
    if (Object.hasOwn(config.services, service)) continue;
    const named = service || 'no service';
    unknown.push(`the alert is about ${named}, which surety.yaml does not have`);
  }
  const ranking = await rankByTelemetry(queryTelemetry).catch((error: unknown) => {
    unknown.push(`services could not be ranked by telemetry: ${reasonOf(error)}`);
    return [];
  });
  const services = alerts.map((one) => one.service).join(' ');
  const words = wordsOf(`${question} ${services} ${raised?.note ?? ''}`);
  const suspects = await findSuspects(ledger, words);
  return { incident, alerts, suspects, ranking, unknown };
}

async function incidentOf(
  { incident }: InvestigationRequest,
  raised: AlertRecord | null,
  ledger: Ledger,
): Promise<IncidentRecord | null> {
  if (incident !== undefined) return findIncident(incident, ledger);
  if (!raised?.incident) return null;
  return (await readRow<IncidentRecord>(ledger, incidentKey(raised.incident))) ?? null;
}

function alertsOf(incident: IncidentRecord | null, raised: AlertRecord | null): AskedAlert[] {
  if (incident) return [...incident.alerts];
  return raised ? [{ alert: raised.alert, service: raised.service, onset: raised.at }] : [];
}
