import { isJsonObject, type Json, type JsonObject } from '../../kernel/index.ts';
import type { Origin } from '../rows.ts';
import type { ProtoWriter } from './proto-writer.ts';

/** Attributes in OTLP: a list of names and values, each value with its type. */
export function writeAttributes(writer: ProtoWriter, field: number, attributes: JsonObject): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === '') continue;
    writer.message(field, (pair) =>
      pair.text(1, key).message(2, (any) => writeValue(any, value, 0)),
    );
  }
}

const depthMax = 8;

export function writeValue(any: ProtoWriter, value: Json, depth: number): void {
  if (typeof value === 'string') any.bytes(1, Buffer.from(value));
  else if (typeof value === 'boolean') {
    // Written even if false: an omitted value would have no type.
    any.integer(2, value ? 1 : 0);
  } else if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) any.integer(3, value);
    else any.double(4, value);
  } else if (depth >= depthMax) any.bytes(1, Buffer.from(JSON.stringify(value)));
  else if (Array.isArray(value)) {
    any.message(5, (list) => {
      for (const item of value) list.message(1, (one) => writeValue(one, item, depth + 1));
    });
  } else if (isJsonObject(value)) any.message(6, (map) => writeAttributes(map, 1, value));
}

/** The attributes that a row stores as text; a text that is no object gives none. */
export function attributesIn(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

export interface OriginRows<Row> {
  readonly origin: Origin;
  readonly rows: readonly Row[];
}

/** Rows of one instance travel together, with their lane. */
export function byOrigin<Row extends Origin>(rows: readonly Row[]): OriginRows<Row>[] {
  const groups = Map.groupBy(
    rows,
    ({ service, instance, lane }) => `${service}\n${instance}\n${lane}`,
  );
  return [...groups.values()].map((group) => ({ origin: group[0] as Row, rows: group }));
}

/** The fields have the same numbers in all three signals. */
export function writeResource(
  writer: ProtoWriter,
  { service, instance, lane }: Origin,
  writeItems: (scope: ProtoWriter) => void,
): void {
  writer.message(1, (of) => {
    const names = {
      'service.name': service,
      'service.instance.id': instance,
      'surety.lane': lane,
    };
    of.message(1, (resource) => writeAttributes(resource, 1, names));
    of.message(2, (scope) => {
      scope.message(1, (us) => us.text(1, 'surety'));
      writeItems(scope);
    });
  });
}

export const fromHex = (digits: string): Buffer => Buffer.from(digits, 'hex');
