import type { HandlersOf } from '../../http/api.ts';
import { activeDisputes, disputeFinding, readStats } from '../../verify/index.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function learningHandlers({ ledger, clock, act }: HandlerDeps): HandlersOf<'learning'> {
  return {
    'GET /v1/disputes': async () => ({ disputes: await activeDisputes(ledger, clock.now()) }),
    'POST /v1/disputes': ({ body }, { actor }) =>
      disputeFinding(actor, body, { act, ledger, clock }),
    'GET /v1/stats': async ({ query }) => await readStats(ledger, query.weeks),
  };
}
