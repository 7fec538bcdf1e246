import type { HandlersOf } from '../../http/api.ts';
import { durationMs, durationPattern, fault } from '../../kernel/index.ts';
import { askPrometheus, namedQueries } from '../../telemetry/index.ts';
import { checkRead } from '../read-rights.ts';
import type { HandlerDeps } from './handler-deps.ts';
import { seenLanes } from './own-lane.ts';

export function prometheusHandlers({
  config,
  clock,
  lanes,
}: HandlerDeps): HandlersOf<'prometheus'> {
  const { prometheus } = config.telemetry;
  return {
    'GET /v1/prometheus/queries': async () => ({
      url: prometheus ? withoutUser(prometheus.url) : null,
      queries: Object.entries(namedQueries(prometheus ?? { queries: {} })).map(([name, query]) => ({
        name,
        query,
      })),
    }),
    'POST /v1/prometheus/query': async ({ body: { query, since, until } }, { actor }) => {
      if (!prometheus) throw fault('PROMETHEUS_NOT_SET', {});
      checkRead(config, actor, 'metrics');
      const now = clock.now();
      const range = {
        until: instantOf(until, now) ?? now,
        ...(since === undefined ? {} : { since: instantOf(since, now) ?? now }),
      };
      const seen = await seenLanes(actor, lanes);
      return askPrometheus(prometheus, { query, ...range, ...(seen ? { lanes: seen } : {}) });
    },
  };
}

function instantOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (durationPattern.test(text)) return Math.max(0, now - durationMs(text));
  const instant = Date.parse(text);
  if (Number.isFinite(instant)) return instant;
  const reason = `"${text}" is neither a duration such as 10m nor a time`;
  throw fault('REQUEST_INVALID', { operation: 'POST /v1/prometheus/query', reason });
}

function withoutUser(url: string): string {
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain.href;
}
