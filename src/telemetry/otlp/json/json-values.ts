import type { Json, JsonObject } from '../../../kernel/index.ts';
import { telemetryLimits } from '../../limits.ts';
import type { AttributeList, AttributeValue } from '../drafts.ts';
import { MalformedMessage } from '../proto/proto-reader.ts';
import { addAttribute, finite } from '../proto/proto-values.ts';

/** A body in the JSON form of OTLP. Its depth is checked before it is parsed. */
export function parseJson(bytes: Buffer): JsonObject {
  checkDepth(bytes);
  let value: Json;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new MalformedMessage(`it is no JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  return objectOf(value, 'the message');
}

const depthMax = telemetryLimits.telemetryDepthMax * 6;

function checkDepth(bytes: Buffer): void {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isText) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) isText = false;
    } else if (byte === 0x22) isText = true;
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    if (depth > depthMax)
      throw new MalformedMessage(`it is nested more than ${depthMax} levels deep`);
  }
}

export function objectOf(value: Json | undefined, what: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as JsonObject;
  throw new MalformedMessage(`${what} is not an object`);
}

export function listOf(value: Json | undefined, what: string): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new MalformedMessage(`${what} is not a list`);
  return value.map((item) => objectOf(item, `an item of ${what}`));
}

export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new MalformedMessage('a text is no text');
}

/** 64-bit numbers come as texts of digits, and from some senders as numbers. */
export function bigOf(value: Json | undefined): bigint {
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  if (typeof value === 'number' && Number.isFinite(value)) return BigInt(Math.trunc(value));
  if (value === undefined || value === null) return 0n;
  throw new MalformedMessage('a number of 64 bits is none');
}

export function numberOf(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  if (value === undefined || value === null) return 0;
  const number = typeof value === 'string' ? Number(value) : Number.NaN;
  if (!Number.isNaN(number) || value === 'NaN') return number;
  throw new MalformedMessage('a number is none');
}

export function numbersOf(value: Json | undefined): number[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new MalformedMessage('a list of numbers is none');
  return value.slice(0, telemetryLimits.telemetryBucketsMax + 1).map(numberOf);
}

export function addAttributes(value: Json | undefined, list: AttributeList): void {
  for (const { key, value: given } of listOf(value, 'attributes')) {
    addAttribute(list, textOf(key), anyValue(given, 0));
  }
}

/** An AnyValue in JSON: `{"stringValue": "…"}`. */
export function anyValue(value: Json | undefined, depth: number): AttributeValue {
  if (depth > telemetryLimits.telemetryDepthMax) {
    throw new MalformedMessage(
      `a value is nested more than ${telemetryLimits.telemetryDepthMax} levels deep`,
    );
  }
  const source = objectOf(value, 'a value');
  if (source.stringValue !== undefined) return textOf(source.stringValue);
  if (source.boolValue !== undefined) return source.boolValue === true;
  if (source.intValue !== undefined) return exactly(bigOf(source.intValue));
  if (source.doubleValue !== undefined) return finite(numberOf(source.doubleValue));
  if (source.bytesValue !== undefined) return textOf(source.bytesValue);
  if (source.arrayValue !== undefined) return arrayOf(source.arrayValue, depth);
  return source.kvlistValue === undefined ? null : mapOf(source.kvlistValue, depth);
}

function arrayOf(value: Json, depth: number): AttributeValue {
  const { values } = objectOf(value, 'an array');
  return listOf(values, 'values')
    .slice(0, telemetryLimits.telemetryAttributesMax)
    .map((item) => anyValue(item, depth + 1));
}

function mapOf(value: Json, depth: number): AttributeValue {
  const { values } = objectOf(value, 'a map');
  const map: Record<string, AttributeValue> = Object.create(null);
  for (const item of listOf(values, 'values').slice(0, telemetryLimits.telemetryAttributesMax)) {
    map[textOf(item.key)] = anyValue(item.value, depth + 1);
  }
  return map;
}

function exactly(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

const hexForm = /^[0-9a-f]*$/i;

/** Ids are hex digits in JSON, unlike all other bytes. */
export function idOf(value: Json | undefined): string {
  const id = textOf(value);
  // An invalid id and one of the wrong length need not be distinguished: both identify nothing.
  return hexForm.test(id) ? id.toLowerCase() : 'no hex';
}
