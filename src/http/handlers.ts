import type { Identity } from '../kernel/index.ts';
import type { OperationKey, OperationRequest, OperationResponse, Operations } from './contract.ts';
import type { changeOperations } from './operations/change-operations.ts';
import type { gateOperations } from './operations/gate-operations.ts';
import type { grantOperations } from './operations/grant-operations.ts';
import type { laneOperations } from './operations/lane-operations.ts';
import type { learningOperations } from './operations/learning-operations.ts';
import type { ledgerOperations } from './operations/ledger-operations.ts';
import type { logOperations } from './operations/log-operations.ts';
import type { mcpOperations } from './operations/mcp-operations.ts';
import type { noticeOperations } from './operations/notice-operations.ts';
import type { policyOperations } from './operations/policy-operations.ts';
import type { probeOperations } from './operations/probe-operations.ts';
import type { prometheusOperations } from './operations/prometheus-operations.ts';
import type { systemOperations } from './operations/system-operations.ts';
import type { taskOperations } from './operations/task-operations.ts';
import type { telemetryOperations } from './operations/telemetry-operations.ts';
import type { trafficOperations } from './operations/traffic-operations.ts';

/** What a handler knows besides its checked input. */
export interface Call extends Identity {
  /** The caller's `Idempotency-Key`. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

type Answer<Key extends OperationKey> = Operations[Key] extends { readonly stream: true }
  ? AsyncIterable<OperationResponse<Key>>
  : Promise<OperationResponse<Key>>;

export type Handlers = {
  readonly [Key in OperationKey]: (request: OperationRequest<Key>, call: Call) => Answer<Key>;
};

export type ChangeHandlers = Pick<Handlers, keyof typeof changeOperations>;
export type GateHandlers = Pick<Handlers, keyof typeof gateOperations>;
export type GrantHandlers = Pick<Handlers, keyof typeof grantOperations>;
export type LaneHandlers = Pick<Handlers, keyof typeof laneOperations>;
export type LearningHandlers = Pick<Handlers, keyof typeof learningOperations>;
export type LedgerHandlers = Pick<Handlers, keyof typeof ledgerOperations>;
export type LogHandlers = Pick<Handlers, keyof typeof logOperations>;
export type McpHandlers = Pick<Handlers, keyof typeof mcpOperations>;
export type NoticeHandlers = Pick<Handlers, keyof typeof noticeOperations>;
export type PolicyHandlers = Pick<Handlers, keyof typeof policyOperations>;
export type ProbeHandlers = Pick<Handlers, keyof typeof probeOperations>;
export type PrometheusHandlers = Pick<Handlers, keyof typeof prometheusOperations>;
export type SystemHandlers = Pick<Handlers, keyof typeof systemOperations>;
export type TaskHandlers = Pick<Handlers, keyof typeof taskOperations>;
export type TelemetryHandlers = Pick<Handlers, keyof typeof telemetryOperations>;
export type TrafficHandlers = Pick<Handlers, keyof typeof trafficOperations>;
