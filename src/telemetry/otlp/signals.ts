import type { Signal } from './answer.ts';
import type { IntakeResult, OtlpIntake } from './intake.ts';
import { readJsonLogs } from './json/json-logs.ts';
import { readJsonMetrics } from './json/json-metrics.ts';
import { readJsonTraces } from './json/json-traces.ts';
import { readProtoLogs } from './proto/proto-logs.ts';
import { readProtoMetrics } from './proto/proto-metrics.ts';
import { readProtoTraces } from './proto/proto-traces.ts';

export type Encoding = 'proto' | 'json';

type TakeIn = (intake: OtlpIntake, bytes: Buffer) => IntakeResult;

const takers: Readonly<Record<Signal, Readonly<Record<Encoding, TakeIn>>>> = {
  traces: {
    proto: (intake, bytes) => intake.traces((to) => readProtoTraces(bytes, to)),
    json: (intake, bytes) => intake.traces((to) => readJsonTraces(bytes, to)),
  },
  metrics: {
    proto: (intake, bytes) => intake.metrics((to) => readProtoMetrics(bytes, to)),
    json: (intake, bytes) => intake.metrics((to) => readJsonMetrics(bytes, to)),
  },
  logs: {
    proto: (intake, bytes) => intake.logs((to) => readProtoLogs(bytes, to)),
    json: (intake, bytes) => intake.logs((to) => readJsonLogs(bytes, to)),
  },
};

/** Accepts a message in either encoding. Throws Malformed, and stores nothing of it then. */
export function takeIn(intake: OtlpIntake, signal: Signal, message: OtlpMessage): IntakeResult {
  return takers[signal][message.encoding](intake, message.bytes);
}

export interface OtlpMessage {
  readonly encoding: Encoding;
  readonly bytes: Buffer;
}
