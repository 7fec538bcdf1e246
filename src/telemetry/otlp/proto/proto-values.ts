import { telemetryLimits } from '../../limits.ts';
import type { AttributeList, AttributeValue, ValueMap } from '../drafts.ts';
import { MalformedMessage, type ProtoReader } from './proto-reader.ts';

/** One KeyValue, added to the list. */
export function readAttribute(reader: ProtoReader, list: AttributeList): void {
  const { key, value } = readKeyValue(reader, 0);
  addAttribute(list, key, value);
}

function readKeyValue(reader: ProtoReader, depth: number): { key: string; value: AttributeValue } {
  const outer = reader.enter();
  let key = '';
  let value: AttributeValue = null;
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x0a) key = reader.text();
    else if (tag === 0x12) value = readValue(reader, depth);
    else reader.skip(tag);
  }
  reader.leave(outer);
  return { key, value };
}

/** Attributes beyond the limit are not even kept temporarily. */
export function addAttribute(list: AttributeList, key: string, value: AttributeValue): void {
  if (list.keys.length >= telemetryLimits.telemetryAttributesMax) {
    list.dropped += 1;
    return;
  }
  list.keys.push(key);
  list.values.push(value);
}

/** An AnyValue. Too deep nesting is not telemetry but an attack on our stack. */
export function readValue(reader: ProtoReader, depth: number): AttributeValue {
  if (depth > telemetryLimits.telemetryDepthMax) {
    throw new MalformedMessage(
      `a value is nested more than ${telemetryLimits.telemetryDepthMax} levels deep`,
    );
  }
  const outer = reader.enter();
  let value: AttributeValue = null;
  while (!reader.isDone) value = readAlternative(reader, reader.tag(), depth, value);
  reader.leave(outer);
  return value;
}

function readAlternative(
  reader: ProtoReader,
  tag: number,
  depth: number,
  before: AttributeValue,
): AttributeValue {
  switch (tag) {
    case 0x0a:
      return reader.text();
    case 0x10:
      return reader.uint32() !== 0;
    case 0x18:
      return reader.int64();
    case 0x21:
      return finite(reader.double());
    case 0x2a:
      return readArray(reader, depth);
    case 0x32:
      return readMap(reader, depth);
    case 0x3a:
      return reader.base64(telemetryLimits.telemetryValueCharsMax);
    default:
      reader.skip(tag);
      return before;
  }
}

/** JSON cannot represent these numbers. */
export function finite(number: number): number | string {
  return Number.isFinite(number) ? number : String(number);
}

function readArray(reader: ProtoReader, depth: number): AttributeValue {
  const outer = reader.enter();
  const values: AttributeValue[] = [];
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x0a && values.length < telemetryLimits.telemetryAttributesMax) {
      values.push(readValue(reader, depth + 1));
    } else reader.skip(tag);
  }
  reader.leave(outer);
  return values;
}

function readMap(reader: ProtoReader, depth: number): AttributeValue {
  const outer = reader.enter();
  const map: Record<string, AttributeValue> = Object.create(null);
  for (let members = 0; !reader.isDone; members++) {
    const tag = reader.tag();
    if (tag === 0x0a && members < telemetryLimits.telemetryAttributesMax) {
      const { key, value } = readKeyValue(reader, depth + 1);
      map[key] = value;
    } else reader.skip(tag);
  }
  reader.leave(outer);
  return map as ValueMap;
}

/** An InstrumentationScope: its name. */
export function readScope(reader: ProtoReader): string {
  return reader.message({ name: '' }, readScopeField).name;
}

function readScopeField(reader: ProtoReader, tag: number, scope: { name: string }): void {
  if (tag === 0x0a) scope.name = reader.text();
  else reader.skip(tag);
}
