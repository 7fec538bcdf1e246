import type { SystemHandlers } from '../http/api.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function systemHandlers({ baseline }: HandlerDeps): SystemHandlers {
  return {
    'GET /v1/system': async () => ({ services: await baseline.status() }),
    'POST /v1/system/up': async (_, { actor }) => ({ services: await baseline.up(actor) }),
    'POST /v1/system/down': async (_, { actor }) => ({ services: await baseline.down(actor) }),
    'POST /v1/system/restart': async ({ body }, { actor }) => ({
      services: await baseline.restart(actor, body.service),
    }),
  };
}
