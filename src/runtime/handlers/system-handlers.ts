import type { HandlersOf } from '../../http/api.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function systemHandlers({ baseline, data }: HandlerDeps): HandlersOf<'system'> {
  return {
    'GET /v1/system': async () => ({ services: await baseline.status() }),
    'GET /v1/datastores': async () => ({ datastores: await data.status() }),
    'POST /v1/system/up': async ({ body }, { actor }) => ({
      services: await baseline.up(actor, body),
    }),
    'POST /v1/system/down': async (_, { actor }) => ({ services: await baseline.down(actor) }),
    'POST /v1/system/restart': async ({ body }, { actor }) => ({
      services: await baseline.restart(actor, body.service),
    }),
    'GET /v1/system/{service}/log': async ({ path: { service }, query }) => {
      const { lines, next } = await baseline.readLog(service, query);
      return { service, lines, next };
    },
  };
}
