import type { Signal } from './answer.ts';
import type { IntakeResult, OtlpIntake } from './intake.ts';
import { readJsonLogs } from './json/json-logs.ts';
import { readJsonMetrics } from './json/json-metrics.ts';
import { readJsonTraces } from './json/json-traces.ts';
import { readProtoLogs } from './proto/proto-logs.ts';
import { readProtoMetrics } from './proto/proto-metrics.ts';
import { readProtoTraces } from './proto/proto-traces.ts';

export type Encoding = 'proto' | 'json';

type TakeIn = (intake: OtlpIntake, bytes: Buffer, sender: string) => IntakeResult;

const takers: Readonly<Record<Signal, Readonly<Record<Encoding, TakeIn>>>> = {
  traces: {
    proto: (intake, bytes, sender) => intake.traces((to) => readProtoTraces(bytes, to), sender),
    json: (intake, bytes, sender) => intake.traces((to) => readJsonTraces(bytes, to), sender),
  },
  metrics: {
    proto: (intake, bytes, sender) => intake.metrics((to) => readProtoMetrics(bytes, to), sender),
    json: (intake, bytes, sender) => intake.metrics((to) => readJsonMetrics(bytes, to), sender),
  },
  logs: {
    proto: (intake, bytes, sender) => intake.logs((to) => readProtoLogs(bytes, to), sender),
    json: (intake, bytes, sender) => intake.logs((to) => readJsonLogs(bytes, to), sender),
  },
};

/** Accepts a message in either encoding. Throws Malformed, and stores nothing of it then. */
export function takeIn(intake: OtlpIntake, signal: Signal, message: OtlpMessage): IntakeResult {
  const { encoding, bytes, sender } = message;
  return takers[signal][encoding](intake, bytes, sender);
}

export interface OtlpMessage {
  readonly encoding: Encoding;
  readonly bytes: Buffer;
  /** Who has proven to have sent it; empty if nobody has. */
  readonly sender: string;
}
