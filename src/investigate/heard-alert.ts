import { sha256 } from '../kernel/index.ts';
import type { AlertmanagerNotice, WebhookNotice } from './api-schema.ts';

/** An alert that somebody else raised or took back. */
export interface AlertNotice {
  /** The same for all that is said about one alert. Alerts of surety.yaml have only a name. */
  readonly fingerprint?: string;
  readonly alert: string;
  readonly state: 'firing' | 'resolved';
  readonly service: string;
  readonly metric: string;
  readonly note: string;
  /** Who told it; `surety` if left out. */
  readonly source?: string;
  /** The metric before and after it rose. */
  readonly from?: number;
  readonly to?: number;
  /** When it began, by whoever told it: another beginning is another alert. */
  readonly startsAt: string;
  readonly labels: Readonly<Record<string, string>>;
}

export function ofAlertmanager({ alerts }: AlertmanagerNotice): AlertNotice[] {
  return alerts.map(({ status, labels, annotations = {}, startsAt = '', fingerprint }) =>
    shorten({
      fingerprint: markOf(fingerprint, labels.alertname ?? '', labels),
      alert: labels.alertname ?? 'unnamed',
      state: status,
      service: serviceIn(labels),
      metric: labels.__name__ ?? labels.metric ?? '',
      note: annotations.summary ?? annotations.description ?? annotations.message ?? '',
      source: 'alertmanager',
      startsAt,
      labels,
    }),
  );
}

export function ofWebhook({ source, alerts }: WebhookNotice): AlertNotice[] {
  return alerts.map(({ id, name, state, service, metric = '', note = '', ...rest }) =>
    shorten({
      fingerprint: markOf(id, name, rest.labels),
      alert: name,
      state,
      service: service ?? serviceIn(rest.labels),
      metric,
      note,
      source,
      startsAt: rest.startsAt ?? '',
      labels: rest.labels,
    }),
  );
}

const serviceLabels = ['service', 'service_name', 'app', 'job', 'container'];

/** Which service it is about, by the labels that people use for that. */
function serviceIn(labels: AlertNotice['labels']): string {
  const label = serviceLabels.find((name) => labels[name] !== undefined && labels[name] !== '');
  return label === undefined ? '' : (labels[label] ?? '');
}

/** Where there is none that can name a row, what tells alerts apart is their name and labels. */
function markOf(given: string | undefined, name: string, labels: AlertNotice['labels']): string {
  if (given !== undefined && /^[\w.:-]{1,64}$/.test(given)) return given;
  const parts =
    given ?? Object.entries(labels).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return sha256(JSON.stringify([name, parts])).slice(0, 32);
}

const nameCharsMax = 200;
const noteCharsMax = 1_000;

/** The texts of others are as long as they like; what they said whole is beside the entry. */
function shorten(notice: AlertNotice): AlertNotice {
  const { alert, service, metric, note, startsAt } = notice;
  return {
    ...notice,
    alert: alert.slice(0, nameCharsMax),
    service: service.slice(0, nameCharsMax),
    metric: metric.slice(0, nameCharsMax),
    note: note.slice(0, noteCharsMax),
    startsAt: startsAt.slice(0, nameCharsMax),
  };
}
