import {
  type DuckDBTimestampTZValue,
  DuckDBTypeId,
  type DuckDBValueConverter,
  type Json as DuckJson,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api';

/**
 * Values for programs and models: numbers where they are exact, times as ISO texts, and texts for
 * everything that JSON cannot represent.
 */
export const toJson: DuckDBValueConverter<DuckJson> = (value, type, converter) => {
  if (value === null) return null;
  if (typeof value === 'bigint') return wholeNumber(value);
  if (type.typeId === DuckDBTypeId.DECIMAL) return Number(String(value));
  if (type.typeId === DuckDBTypeId.TIMESTAMP_TZ) return moment(value as DuckDBTimestampTZValue);
  return JsonDuckDBValueConverter(value, type, converter);
};

function wholeNumber(value: bigint): DuckJson {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

const yearsMs = 8_640_000_000_000_000;

/** To the microsecond: 2026-11-15T06:00:00.000001Z. */
function moment(value: DuckDBTimestampTZValue): string {
  const ms = Number(value.micros / 1000n);
  if (Math.abs(ms) >= yearsMs) return String(value);
  const micros = String(((value.micros % 1000n) + 1000n) % 1000n).padStart(3, '0');
  return `${new Date(ms).toISOString().slice(0, -1)}${micros}Z`;
}
