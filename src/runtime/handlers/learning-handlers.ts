import type { HandlersOf } from '../../http/api.ts';
import { ask } from '../../telemetry/index.ts';
import { activeDisputes, disputeFinding, readGaps, readStats } from '../../verify/index.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function learningHandlers(deps: HandlerDeps): HandlersOf<'learning'> {
  const { ledger, clock, act, config } = deps;
  return {
    'GET /v1/disputes': async () => ({ disputes: await activeDisputes(ledger, clock.now()) }),
    'POST /v1/disputes': ({ body }, { actor }) =>
      disputeFinding(actor, body, { act, ledger, clock }),
    'GET /v1/gaps': async ({ query: { weeks } }) => {
      const routes = await unverifiedRoutes(deps);
      return await readGaps({ weeks, now: clock.now() }, { ledger, config, routes });
    },
    'GET /v1/stats': async ({ query }) => await readStats(ledger, query.weeks),
  };
}

/** Null if telemetry is off or does not answer: the rest is known without it. */
async function unverifiedRoutes({ telemetry, clock, config }: HandlerDeps) {
  const asker = { query: (sql: string) => telemetry.query(sql, {}), now: clock.now() };
  const answer = await ask('unverified-routes', {}, asker).catch(() => null);
  // Health checks are the keeper's requests, not anybody's traffic.
  const checks = new Set(
    Object.entries(config.services).map(([name, { health }]) => `${name} GET ${health}`),
  );
  const routes = answer?.rows.map((row) => ({
    service: String(row.service),
    route: String(row.route),
    requests: Number(row.requests),
  }));
  return routes?.filter(({ service, route }) => !checks.has(`${service} ${route}`)) ?? null;
}
