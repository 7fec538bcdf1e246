import { redactText } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { SpanRow } from '../rows.ts';
import { signatureOf } from '../signature.ts';
import { AttributeText, cut } from './attribute-text.ts';
import { firstKeptSlot, slot, slotOf } from './conventions.ts';
import type { EventDraft, SpanDraft } from './drafts.ts';
import { methodOf, peerAddress, peerByKind, routeOf, SpanFacts, storeAt } from './facts.ts';
import type { MessageSender } from './origin.ts';
import { factorOf, isPlausible, repairTime, type TimeRepair } from './plausible-time.ts';
import type { RowContext } from './row-context.ts';

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const statuses = ['unset', 'ok', 'error'] as const;

const facts = new SpanFacts();
const text = new AttributeText();

/** Why a span is refused; empty if its ids are valid. */
export function spanProblem({ traceId, spanId, parentSpanId }: SpanDraft): string {
  if (!isId(traceId, 32)) return 'a trace id is not 16 bytes, or all zero';
  if (!isId(spanId, 16)) return 'a span id is not 8 bytes, or all zero';
  if (parentSpanId !== '' && parentSpanId.length !== 16) return 'a parent span id is not 8 bytes';
  return '';
}

const noTrace = '0'.repeat(32);
const noSpan = '0'.repeat(16);

export function isId(id: string, digits: number): boolean {
  return id.length === digits && id !== noTrace && id !== noSpan;
}

export function spanRow(draft: SpanDraft, sender: MessageSender, deps: RowContext): SpanRow {
  readFacts(draft);
  const { startNs, durationNs, repair } = timesOf(draft, deps);
  if (repair !== '') text.add('surety.time', repair);
  if (draft.links.length > 0) text.add('surety.links', draft.links.map(linkText));
  const dropped = draft.dropped;
  if (dropped > 0) {
    text.add('surety.dropped_attributes', dropped);
    deps.counts.add('attributes dropped', dropped);
  }
  const kind = kinds[draft.kind] ?? 'internal';
  const status = statuses[draft.statusCode] ?? 'unset';
  const reportedLane = sender.lane || facts.text(slot.lane);
  const lane = deps.lanes.find(reportedLane, draft.traceState, draft.traceId);
  return {
    service: sender.service,
    instance: sender.instance,
    lane,
    traceId: draft.traceId,
    spanId: draft.spanId,
    parentSpanId: draft.parentSpanId === noSpan ? '' : draft.parentSpanId,
    name: cut(draft.name, telemetryLimits.telemetryNameCharsMax),
    kind,
    startNs,
    durationNs,
    status,
    statusMessage: cut(draft.statusMessage, telemetryLimits.telemetryTextCharsMax),
    method: methodOf(facts),
    route: deps.routes.fold(sender.service, routeOf(facts)),
    httpStatus: facts.whole(slot.httpStatus),
    peer: kind === 'server' || kind === 'internal' ? '' : peerOf(deps),
    requestId: facts.text(slot.requestId),
    errorSignature: errorSignature(draft, status),
    cpuUs: facts.number(slot.cpuUs),
    requestBytes: facts.whole(slot.requestBytes),
    responseBytes: facts.whole(slot.responseBytes),
    calls: facts.whole(slot.calls),
    attributes: text.finish(sender.members),
    events: draft.events.length === 0 ? '[]' : eventsText(draft.events),
  };
}

function readFacts({ keys, values }: SpanDraft): void {
  facts.clear();
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const value = values[index] ?? null;
    const at = slotOf.get(key);
    if (at !== undefined) facts.tell(at, value);
    if (at === undefined || at >= firstKeptSlot) text.add(key, value);
  }
}

interface Times {
  readonly startNs: bigint;
  readonly durationNs: bigint;
  readonly repair: TimeRepair | 'end';
}

/** An implausible end gives a span without duration; its start is still useful. */
function timesOf({ startNs, endNs }: SpanDraft, { arrival, counts }: RowContext): Times {
  if (isPlausible(startNs, arrival)) {
    if (endNs >= startNs && endNs <= arrival.latestNs) {
      return { startNs, durationNs: endNs - startNs, repair: '' };
    }
    counts.add('times repaired');
    return { startNs, durationNs: 0n, repair: 'end' };
  }
  counts.add('times repaired');
  const { ns, repair } = repairTime(startNs, arrival);
  const durationNs = (endNs - startNs) * factorOf(repair);
  const isLength = repair !== 'arrival' && durationNs >= 0n && ns + durationNs <= arrival.latestNs;
  return { startNs: ns, durationNs: isLength ? durationNs : 0n, repair };
}

/**
 * The system's name for the callee, else the name that the SDK reports, else its kind and address.
 */
function peerOf({ names }: RowContext): string {
  const address = peerAddress(facts);
  const named = names.service(address) || facts.text(slot.peerService);
  return named || storeAt(facts, address) || address || peerByKind(facts);
}

function errorSignature(draft: SpanDraft, status: SpanRow['status']): string {
  const reportedSignature = facts.text(slot.errorSignature);
  if (reportedSignature !== '') return reportedSignature;
  const exception = draft.events.find(({ name }) => name === 'exception');
  if (exception) return exceptionSignature(exception);
  if (status !== 'error') return '';
  return draft.statusMessage === ''
    ? facts.text(slot.errorType)
    : signatureOf(redactText(draft.statusMessage));
}

function exceptionSignature({ keys, values }: EventDraft): string {
  const textOf = (key: string): string => String(values[keys.indexOf(key)] ?? '');
  const [type, message] = [textOf('exception.type'), textOf('exception.message')];
  const short = cut(type, telemetryLimits.telemetryNameCharsMax);
  return [short, message && signatureOf(redactText(message))].filter(Boolean).join(': ');
}

const eventText = new AttributeText();

function eventsText(events: readonly EventDraft[]): string {
  const shown = events.map(({ keys, values, atNs, name }) => {
    keys.forEach((key, index) => {
      eventText.add(key, values[index] ?? null);
    });
    const attributes = eventText.finish();
    const eventName = JSON.stringify(cut(name, telemetryLimits.telemetryNameCharsMax));
    return `{"at":"${instantText(atNs)}","name":${eventName},"attributes":${attributes}}`;
  });
  return `[${shown.join(',')}]`;
}

const latestMs = 8_640_000_000_000_000n;

/** 2026-11-15T06:00:00.000000001Z */
function instantText(ns: bigint): string {
  const ms = ns / 1_000_000n;
  if (ms > latestMs) return '';
  const fraction = (ns % 1_000_000_000n).toString().padStart(9, '0');
  return `${new Date(Number(ms)).toISOString().slice(0, 19)}.${fraction}Z`;
}

function linkText({ traceId, spanId }: { traceId: string; spanId: string }): string {
  return `${traceId}-${spanId}`;
}
