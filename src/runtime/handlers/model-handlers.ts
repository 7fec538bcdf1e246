import type { HandlersOf } from '../../http/api.ts';
import { listModelUsage } from '../../models/index.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function modelHandlers({ ledger, config }: HandlerDeps): HandlersOf<'model'> {
  return {
    'GET /v1/models': async (_, { actor }) => {
      const usage = await listModelUsage(ledger);
      const isOwn = ({ agent }: { agent: string }): boolean => agent === actor;
      return {
        providers: Object.entries(config.models).map(([provider, { api }]) => {
          return { provider, api, path: `/models/${provider}` };
        }),
        usage: actor.startsWith('agent:') ? usage.filter(isOwn) : usage,
      };
    },
  };
}
