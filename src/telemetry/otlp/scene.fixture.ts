import { createClock, type Json } from '../../kernel/index.ts';
import { redactRows } from '../redact-rows.ts';
import { CollectedRows } from '../rows.fixture.ts';
import type { Sink } from '../rows.ts';
import type { Signal } from './answer.ts';
import { type IntakeResult, OtlpIntake } from './intake.ts';
import { LaneFinder } from './lane-finder.ts';
import { KnownNames } from './names.ts';
import { takeIn } from './signals.ts';

/** 2026-11-15T12:00:00Z: what these tests take for now. */
export const nowMs: number = Date.UTC(2026, 10, 15, 12);
export const nowNs: bigint = BigInt(nowMs) * 1_000_000n;

export const traceSecret: string = 'ab'.repeat(32);

export interface Scene {
  readonly kept: CollectedRows;
  readonly names: KnownNames;
  readonly intake: OtlpIntake;
  /** As a collector with a key, unless it is an empty sender. */
  send(signal: Signal, message: Json, sender?: string): IntakeResult;
}

/** An intake on a clock that stands still, and all that it has stored. */
export function createScene(): Scene {
  const kept = new CollectedRows();
  const names = new KnownNames();
  const lanes = new LaneFinder({ names, traceSecret });
  const clock = createClock({ wallMs: () => nowMs, monotonicMs: () => 0 });
  const intake = new OtlpIntake({ clock, sink: redacting(kept), names, lanes });
  const send = (signal: Signal, message: Json, sender = 'collector:main'): IntakeResult =>
    takeIn(intake, signal, {
      encoding: 'json',
      bytes: Buffer.from(JSON.stringify(message)),
      sender,
    });
  return { kept, names, intake, send };
}

/** As all rows are before they are stored. */
function redacting(kept: CollectedRows): Sink {
  return { take: (rows) => kept.take(redactRows(rows)), isFull: () => kept.isFull() };
}

export const traceId = '0af7651916cd43dd8448eb211c80319c';
export const spanId = 'b7ad6b7169203331';

/** In the JSON form of OTLP: by what its value is. */
export function attributes(values: Readonly<Record<string, Json>>): Json {
  return Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));
}

export function anyValue(value: Json): Json {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return value === null ? {} : { kvlistValue: { values: attributes(value as { a: Json }) } };
}

type Values = Readonly<Record<string, Json>>;

export function span(more: Values = {}, values: Values = {}): Json {
  return {
    traceId,
    spanId,
    name: 'GET /orders',
    kind: 2,
    startTimeUnixNano: String(nowNs - 5_000_000n),
    endTimeUnixNano: String(nowNs - 1_000_000n),
    attributes: attributes(values),
    ...more,
  };
}

export function spansOf(
  spans: readonly Json[],
  resource: Values = { 'service.name': 'orders' },
): Json {
  const from = { attributes: attributes(resource) };
  return { resourceSpans: [{ resource: from, scopeSpans: [{ spans }] }] };
}

export function logsOf(
  logRecords: readonly Json[],
  resource: Values = { 'service.name': 'orders' },
): Json {
  const from = { attributes: attributes(resource) };
  return { resourceLogs: [{ resource: from, scopeLogs: [{ logRecords }] }] };
}

export function metricsOf(
  metrics: readonly Json[],
  resource: Values = { 'service.name': 'orders' },
): Json {
  const from = { attributes: attributes(resource) };
  return { resourceMetrics: [{ resource: from, scopeMetrics: [{ metrics }] }] };
}
