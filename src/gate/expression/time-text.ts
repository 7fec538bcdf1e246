/** Times are whole milliseconds, like the clock. Finer ones are refused, never rounded. */
const timestampMsMin = -62_135_596_800_000;
const timestampMsMax = 253_402_300_799_999;
/** 64 bits of nanoseconds, as CEL has it. */
const durationMsMax = 9_223_372_036_854;

const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

export function timestampMs(ms: number): number | undefined {
  return Number.isSafeInteger(ms) && ms >= timestampMsMin && ms <= timestampMsMax ? ms : undefined;
}

export function durationMs(ms: number): number | undefined {
  return Number.isSafeInteger(ms) && Math.abs(ms) <= durationMsMax ? ms : undefined;
}

export function parseTimestamp(text: string): number | undefined {
  // No timestamp is longer, so the pattern need not run.
  const parts = text.length > 40 ? null : rfc3339.exec(text);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as Six;
  const fraction = wholeMs(parts[7] ?? '');
  const offset = offsetMinutes(parts[8], parts[9], parts[10]);
  if (fraction === undefined || offset === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  // Detects a 31st of April, which rolled over into May.
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24;
  if (!isReal || minute > 59 || second > 59) return undefined;
  return timestampMs(date.getTime() + fraction - offset * 60_000);
}

type Six = [number, number, number, number, number, number];

function wholeMs(digits: string): number | undefined {
  return /^0*$/.test(digits.slice(3)) ? Number(digits.slice(0, 3).padEnd(3, '0')) : undefined;
}

export function offsetMinutes(
  sign: string | undefined,
  hours: string | undefined,
  minutes: string | undefined,
): number | undefined {
  const [h, m] = [Number(hours ?? 0), Number(minutes ?? 0)];
  if (h > 23 || m > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (h * 60 + m);
}

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const durationPart = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/y;

/** `1h30m`, `-1.5s`, `250ms`. */
export function parseDuration(text: string): number | undefined {
  if (text.length > 64) return undefined;
  if (/^[-+]?0$/.test(text)) return 0;
  const start = /^[-+]/.test(text) ? 1 : 0;
  let sum = 0;
  let at = start;
  while (at < text.length) {
    durationPart.lastIndex = at;
    const part = durationPart.exec(text);
    const ms = part ? partMs(part[1] as string, part[2] as string) : undefined;
    if (!part || ms === undefined) return undefined;
    sum += ms;
    at = durationPart.lastIndex;
  }
  if (at === start) return undefined;
  return durationMs(text[0] === '-' ? 0 - sum : sum);
}

/** Fails unless the result is exact: 0.0015s is a millisecond and a half. */
function partMs(digits: string, unit: string): number | undefined {
  const [whole = '', fraction = ''] = digits.split('.');
  const perUnit = unitMs[unit] as number;
  const nanos = BigInt(`${whole}${fraction}` || '0') * BigInt(Math.round(perUnit * 1e6));
  const scale = 10n ** BigInt(fraction.length) * 1_000_000n;
  return nanos % scale === 0n ? Number(nanos / scale) : undefined;
}

/** RFC 3339 as CEL writes it: no fraction when there is none. */
export function timestampText(ms: number): string {
  const iso = new Date(ms).toISOString();
  return iso.replace(/\.(\d*?)0*Z$/, (_, digits: string) => (digits ? `.${digits}Z` : 'Z'));
}

export function durationText(ms: number): string {
  return `${ms / 1_000}s`;
}
