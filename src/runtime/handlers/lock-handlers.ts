import {
  acquireLock,
  checkFence,
  type LockHold,
  type LockRenewal,
  type LockRequest,
  leaveQueue,
  listLocks,
  releaseLock,
  renewLock,
  waitForLock,
} from '../../gate/index.ts';
import type { HandlersOf } from '../../http/api.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function lockHandlers({ tasks, ledger, clock }: HandlerDeps): HandlersOf<'lock'> {
  const waiting = { ledger, clock };
  return {
    'POST /v1/locks/acquire': async ({ query, body }, { actor }) => {
      const answer = await acquireLock(actor, body as LockRequest, tasks);
      if (answer.ticket === null) return answer;
      const { lock, ticket } = answer;
      return waitForLock(body.task ?? actor, { lock, ticket }, query.waitMs, waiting);
    },
    'POST /v1/locks/wait': ({ query, body: { task, ...ticket } }, { actor }) =>
      waitForLock(task ?? actor, ticket, query.waitMs, waiting),
    'POST /v1/locks/renew': ({ body }, { actor }) => renewLock(actor, body as LockRenewal, tasks),
    'POST /v1/locks/release': ({ body }, { actor }) => releaseLock(actor, body as LockHold, tasks),
    'POST /v1/locks/leave': ({ body }, { actor }) => leaveQueue(actor, body, tasks),
    'POST /v1/locks/check': ({ body }) => checkFence(body, clock.now(), { ledger }),
    'GET /v1/locks': async () => ({ locks: await listLocks(ledger, clock.now()) }),
  };
}
