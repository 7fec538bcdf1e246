import type { IntakeResult } from './intake.ts';

/**
 * The answers of OTLP in both of its encodings, written by hand, since they have only four fields.
 */

export type Signal = 'traces' | 'metrics' | 'logs';

const rejectedField = {
  traces: 'rejectedSpans',
  metrics: 'rejectedDataPoints',
  logs: 'rejectedLogRecords',
} as const;

/** An Export…ServiceResponse; it has no bytes if nothing was rejected. */
export function protoAnswer({ rejected, reason }: IntakeResult): Buffer {
  if (rejected === 0 && reason === '') return Buffer.alloc(0);
  const partial = [varintField(1, rejected), textField(2, reason)];
  return messageField(1, Buffer.concat(partial));
}

export function jsonAnswer(signal: Signal, { rejected, reason }: IntakeResult): Buffer {
  if (rejected === 0 && reason === '') return Buffer.from('{}');
  // 64-bit numbers are texts in the JSON form of protobuf.
  const partialSuccess = { [rejectedField[signal]]: String(rejected), errorMessage: reason };
  return Buffer.from(JSON.stringify({ partialSuccess }));
}

/** A google.rpc.Status, the form of a refusal. */
export function protoStatus(code: number, message: string, retryMs?: number): Buffer {
  const parts = [varintField(1, code), textField(2, message)];
  if (retryMs !== undefined) parts.push(messageField(3, retryInfo(retryMs)));
  return Buffer.concat(parts);
}

export function jsonStatus(code: number, message: string): Buffer {
  return Buffer.from(JSON.stringify({ code, message }));
}

/** A google.rpc.RetryInfo within a google.protobuf.Any. */
function retryInfo(retryMs: number): Buffer {
  const seconds = Math.floor(retryMs / 1_000);
  const nanos = (retryMs % 1_000) * 1_000_000;
  const delay = Buffer.concat([varintField(1, seconds), varintField(2, nanos)]);
  const type = textField(1, 'type.googleapis.com/google.rpc.RetryInfo');
  return Buffer.concat([type, messageField(2, messageField(1, delay))]);
}

function varintField(field: number, value: number): Buffer {
  return value === 0 ? Buffer.alloc(0) : Buffer.from([field << 3, ...varint(value)]);
}

function textField(field: number, text: string): Buffer {
  return text === '' ? Buffer.alloc(0) : messageField(field, Buffer.from(text));
}

function messageField(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
}
