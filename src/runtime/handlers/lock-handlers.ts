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
    'POST /v1/locks/acquire': async ({ query: { waitMs }, body }, { actor, signal }) => {
      const answer = await acquireLock(actor, body as LockRequest, tasks);
      if (answer.ticket === null || waitMs === 0) return answer;
      const place = { ...body, ticket: answer.ticket };
      return waitForLock(actor, place, { waitMs, signal }, waiting);
    },
    'POST /v1/locks/wait': ({ query: { waitMs }, body }, { actor, signal }) =>
      waitForLock(actor, body, { waitMs, signal }, waiting),
    'POST /v1/locks/renew': ({ body }, { actor }) => renewLock(actor, body as LockRenewal, tasks),
    'POST /v1/locks/release': ({ body }, { actor }) => releaseLock(actor, body as LockHold, tasks),
    'POST /v1/locks/leave': ({ body }, { actor }) => leaveQueue(actor, body, tasks),
    'POST /v1/locks/check': ({ body }) => checkFence(body, clock.now(), { ledger }),
    'GET /v1/locks': async () => ({ locks: await listLocks(ledger, clock.now()) }),
  };
}
