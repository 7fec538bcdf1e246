import type { Handlers } from '../../http/api.ts';
import { changeHandlers } from './change-handlers.ts';
import { driftHandlers } from './drift-handlers.ts';
import { gateHandlers } from './gate-handlers.ts';
import { grantHandlers } from './grant-handlers.ts';
import type { HandlerDeps } from './handler-deps.ts';
import { laneHandlers } from './lane-handlers.ts';
import { learningHandlers } from './learning-handlers.ts';
import { ledgerHandlers } from './ledger-handlers.ts';
import { lockHandlers } from './lock-handlers.ts';
import { logHandlers } from './log-handlers.ts';
import { mcpHandlers } from './mcp-handlers.ts';
import { modelHandlers } from './model-handlers.ts';
import { noticeHandlers } from './notice-handlers.ts';
import { policyHandlers } from './policy-handlers.ts';
import { probeHandlers } from './probe-handlers.ts';
import { prometheusHandlers } from './prometheus-handlers.ts';
import { systemHandlers } from './system-handlers.ts';
import { taskHandlers } from './task-handlers.ts';
import { telemetryHandlers } from './telemetry-handlers.ts';
import { tokenHandlers } from './token-handlers.ts';
import { trafficHandlers } from './traffic-handlers.ts';

/** The handler of each API operation. */
export function createHandlers(deps: HandlerDeps): Handlers {
  return {
    ...ledgerHandlers(deps),
    ...systemHandlers(deps),
    ...laneHandlers(deps),
    ...taskHandlers(deps),
    ...changeHandlers(deps),
    ...learningHandlers(deps),
    ...grantHandlers(deps),
    ...gateHandlers(deps),
    ...driftHandlers(deps),
    ...policyHandlers(deps),
    ...mcpHandlers(deps),
    ...modelHandlers(deps),
    ...noticeHandlers(deps),
    ...lockHandlers(deps),
    ...logHandlers(deps),
    ...probeHandlers(deps),
    ...prometheusHandlers(deps),
    ...telemetryHandlers(deps),
    ...tokenHandlers(deps),
    ...trafficHandlers(deps),
  };
}
