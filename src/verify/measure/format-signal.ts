import type { ServiceSignal } from '../api-schema.ts';
import type { Difference } from '../compare/index.ts';

interface Unit {
  readonly name: string;
  readonly digits: number;
}

const units: Readonly<Record<string, Unit>> = {
  us: { name: 'µs', digits: 0 },
  ms: { name: 'ms', digits: 1 },
  bytes: { name: 'bytes', digits: 0 },
};

/** A signal that got worse, as a difference. */
export function signalDifference(signal: ServiceSignal, confidence: number): Difference {
  const { service, before, after } = signal;
  return {
    class: 'signal',
    what: signal.signal,
    service,
    hop: null,
    place: null,
    before: amountOf(signal, before),
    after: `${amountOf(signal, after)}${changeOf(signal)}`,
    examples: { before, after },
    severity: 'fail',
    confidence,
  };
}

/** `pricing cpu-us +8 % (95 %: +2 % to +15 %)`. */
export function formatSignal(signal: ServiceSignal): string {
  const { service, signal: name, ratio, before, after } = signal;
  const amounts = ratio === null ? `: ${before} → ${after}` : changeOf(signal);
  return `${name} of ${service}${amounts}`;
}

/** How much more, with the interval. */
function changeOf({ ratio, interval: { low, high }, pairs }: ServiceSignal): string {
  if (ratio === null) return ` in ${pairs} pairs of requests`;
  const bounds = `${low === null ? '?' : percent(low)} to ${high === null ? '?' : percent(high)}`;
  return ` (${percent(ratio)}; 95 %: ${bounds}, in ${pairs} pairs)`;
}

function percent(ratio: number): string {
  const change = Math.round((ratio - 1) * 100);
  return `${change < 0 ? '−' : '+'}${Math.abs(change)} %`;
}

function amountOf({ signal, ratio }: ServiceSignal, amount: number): string {
  if (ratio === null) return String(amount);
  const { name, digits } = units[signal.split('-').at(-1) ?? ''] ?? { name: '', digits: 1 };
  return `${amount.toFixed(digits)} ${name}`;
}
