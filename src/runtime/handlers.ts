import type { Handlers } from '../http/api.ts';
import type { HandlerDeps } from './handler-deps.ts';
import { ledgerHandlers } from './ledger-handlers.ts';
import { systemHandlers } from './system-handlers.ts';
import { taskHandlers } from './task-handlers.ts';

/** What each operation of the API does, by the features it calls. */
export function createHandlers(deps: HandlerDeps): Handlers {
  return { ...ledgerHandlers(deps), ...systemHandlers(deps), ...taskHandlers(deps) };
}
