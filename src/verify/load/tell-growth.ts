import type { Difference } from '../compare/index.ts';
import type { Leak } from './judge-growth.ts';

/** What a service keeps of every request, as a finding. */
export function leakDifference(leak: Leak, services: readonly string[]): Difference {
  const { index, beforeBytes, afterBytes, requests } = leak;
  return {
    class: 'signal',
    what: 'heap-growth-bytes',
    service: services[index] ?? '',
    hop: null,
    place: null,
    before: `${kilobytes(beforeBytes)} more with each request`,
    after: `${kilobytes(afterBytes)} more with each of ${requests} requests, without garbage`,
    examples: { before: Math.round(beforeBytes), after: Math.round(afterBytes) },
    severity: 'fail',
    confidence: 0.99,
  };
}

export function leakRemark(leak: Leak, services: readonly string[]): string {
  const { index, beforeBytes, afterBytes, requests, isCertain } = leak;
  const growth = `${kilobytes(beforeBytes)} → ${kilobytes(afterBytes)} for each of ${requests} requests`;
  const doubt = isCertain ? 'in one start of two' : 'a leak, or a heap not yet full';
  return `memory of ${services[index] ?? ''} grew by ${growth}: ${doubt}`;
}

function kilobytes(bytes: number): string {
  const kb = bytes / 1_024;
  return `${kb < 10 ? kb.toFixed(1) : Math.round(kb)} kB`;
}
