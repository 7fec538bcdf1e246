import { hideCutSecret, type Json, redactSecrets, redactText } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { LogRow } from '../rows.ts';
import { severities, severityNamed } from '../severity.ts';
import { signatureOf } from '../signature.ts';
import { readStructured } from '../structured-line.ts';
import { AttributeText, cut } from './attribute-text.ts';
import type { LogDraft } from './drafts.ts';
import type { MessageSender } from './origin.ts';
import { isPlausible, repairTime } from './plausible-time.ts';
import type { RowContext } from './row-context.ts';
import { isId } from './span-row.ts';

const attributes = new AttributeText();

/** Why a record is refused. A record without any trace is valid. */
export function logProblem({ traceId, spanId }: LogDraft): string {
  if (traceId !== '' && traceId.length !== 32) return 'a trace id is not 16 bytes';
  return spanId === '' || spanId.length === 16 ? '' : 'a span id is not 8 bytes';
}

export function logRow(
  draft: LogDraft,
  { sender, scope }: { sender: MessageSender; scope: string },
  deps: RowContext,
): LogRow {
  const { keys, values } = draft;
  const reportedLane = laneOf(draft);
  keys.forEach((key, index) => {
    if (key !== 'surety.lane') attributes.add(key, values[index] ?? null);
  });
  if (scope !== '') attributes.add('otel.scope.name', scope);
  if (draft.eventName !== '') attributes.add('event.name', draft.eventName);
  const traceId = isId(draft.traceId, 32) ? draft.traceId : '';
  const text = bodyText(draft);
  const line = readStructured(text);
  return {
    service: sender.service,
    instance: sender.instance,
    lane: deps.lanes.find(sender.lane || reportedLane, '', traceId),
    atNs: timeOf(draft, deps),
    traceId,
    spanId: isId(draft.spanId, 16) ? draft.spanId : '',
    severity: severityOf(draft) || (line?.severity ?? ''),
    text,
    signature: signatureOf(line?.message ?? text),
    source: 'otlp',
    attributes: attributes.finish(sender.members),
  };
}

function laneOf({ keys, values }: LogDraft): string {
  const at = keys.indexOf('surety.lane');
  return at === -1 ? '' : String(values[at] ?? '');
}

/** When it happened, or else when it was observed. */
function timeOf({ atNs, observedNs }: LogDraft, { arrival, counts }: RowContext): bigint {
  const reportedNs = atNs === 0n ? observedNs : atNs;
  if (isPlausible(reportedNs, arrival)) return reportedNs;
  counts.add('times repaired');
  const { ns, repair } = repairTime(reportedNs, arrival);
  attributes.add('surety.time', repair);
  return ns;
}

/** A text as it is, also from a field where loggers put the message; anything else as JSON. */
function bodyText({ body, eventName }: LogDraft): string {
  if (typeof body === 'string') return textOf(body);
  if (body === null) return eventName;
  const text = JSON.stringify(redactSecrets(body as Json));
  return cut(text, telemetryLimits.telemetryTextCharsMax);
}

/** Its reporter may have cut it to the maximum length, possibly within a secret. */
function textOf(body: string): string {
  const whole = redactText(body);
  const isCut = body.length >= telemetryLimits.telemetryTextCharsMax;
  return isCut ? cut(hideCutSecret(whole), telemetryLimits.telemetryTextCharsMax) : whole;
}

/** OTLP has four numbers for each severity; without a number, the logger's word is used. */
function severityOf({ severityNumber, severityText }: LogDraft): LogRow['severity'] {
  if (severityNumber >= 1 && severityNumber <= 24) {
    return severities[Math.floor((severityNumber - 1) / 4)] ?? '';
  }
  return severityNamed(severityText);
}
