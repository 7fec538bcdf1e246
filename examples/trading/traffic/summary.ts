import type { Step } from './plan.ts';

export interface Result {
  kind: string;
  step: Step;
  status: number | 'none';
  durationMs: number;
  body: Record<string, unknown>;
  requestId: string;
}

const EXAMPLES_MAX = 5;

export function summarise(results: readonly Result[], durationMs: number) {
  const unexpected = results.filter(({ status, step }) => status !== step.expectedStatus);
  const times = results.map((result) => result.durationMs).sort((a, b) => a - b);
  return {
    requests: results.length,
    seconds: Math.round(durationMs) / 1000,
    byKind: countBy(results, ({ kind }) => kind),
    byStatus: countBy(results, ({ status }) => String(status)),
    byTradeStatus: countBy(results.filter(isNewTrade), ({ body }) => String(body.status)),
    latencyMs: { p50: quantile(times, 0.5), p99: quantile(times, 0.99) },
    unexpected: unexpected.length,
    examples: unexpected.slice(0, EXAMPLES_MAX).map(({ kind, step, status, requestId, body }) => {
      const { method, path, expectedStatus } = step;
      return { kind, method, path, expectedStatus, status, requestId, error: body.error };
    }),
  };
}

function isNewTrade({ step, status }: Result): boolean {
  return step.path === '/trades' && status === 201;
}

function countBy(results: readonly Result[], key: (result: Result) => string) {
  const counts: Record<string, number> = {};
  for (const result of results) counts[key(result)] = (counts[key(result)] ?? 0) + 1;
  return counts;
}

function quantile(sorted: readonly number[], share: number): number | null {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return value === undefined ? null : Math.round(value * 100) / 100;
}
