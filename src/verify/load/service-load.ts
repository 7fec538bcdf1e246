import type { Hop } from '../../lanes/index.ts';
import type { Block } from './block.ts';

/** How a service did under load, on one version. */
export interface ServiceLoad {
  readonly service: string;
  readonly p95Ms: number;
  readonly failed: number;
  readonly requests: number;
}

/** By service, over these blocks. */
export function loadByService(blocks: readonly Block[]): Map<string, ServiceLoad> {
  const hops = blocks
    .flatMap((block) => block.hops)
    .filter(({ protocol }) => protocol !== 'message');
  const byService = Map.groupBy(hops, ({ to }) => to);
  return new Map([...byService].map(([service, own]) => [service, loadOf(service, own)]));
}

function loadOf(service: string, hops: readonly Hop[]): ServiceLoad {
  return {
    service,
    p95Ms: quantile(
      hops.map(({ durationMs = 0 }) => durationMs),
      0.95,
    ),
    failed: hops.filter(({ status }) => status === 0 || status >= 500).length,
    requests: hops.length,
  };
}

/** Nearest rank; 0 of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
