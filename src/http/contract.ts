import type { z } from 'zod';
import type { Immutable } from '../kernel/index.ts';
import { changeOperations } from './operations/change-operations.ts';
import { driftOperations } from './operations/drift-operations.ts';
import { gateOperations } from './operations/gate-operations.ts';
import { grantOperations } from './operations/grant-operations.ts';
import { laneOperations } from './operations/lane-operations.ts';
import { learningOperations } from './operations/learning-operations.ts';
import { ledgerOperations } from './operations/ledger-operations.ts';
import { lockOperations } from './operations/lock-operations.ts';
import { logOperations } from './operations/log-operations.ts';
import { mcpOperations } from './operations/mcp-operations.ts';
import { modelOperations } from './operations/model-operations.ts';
import { noticeOperations } from './operations/notice-operations.ts';
import { policyOperations } from './operations/policy-operations.ts';
import { probeOperations } from './operations/probe-operations.ts';
import { prometheusOperations } from './operations/prometheus-operations.ts';
import { systemOperations } from './operations/system-operations.ts';
import { taskOperations } from './operations/task-operations.ts';
import { telemetryOperations } from './operations/telemetry-operations.ts';
import { tokenOperations } from './operations/token-operations.ts';
import { trafficOperations } from './operations/traffic-operations.ts';

export type { Operation } from './operations/operation.ts';

/**
 * The HTTP API, as data: server, client, console and OpenAPI document are all made from this table.
 * A key is the method and path; `{name}` in a path is a parameter.
 */
const operationGroups = {
  ledger: ledgerOperations,
  system: systemOperations,
  lane: laneOperations,
  task: taskOperations,
  change: changeOperations,
  learning: learningOperations,
  grant: grantOperations,
  gate: gateOperations,
  drift: driftOperations,
  policy: policyOperations,
  mcp: mcpOperations,
  model: modelOperations,
  notice: noticeOperations,
  lock: lockOperations,
  log: logOperations,
  probe: probeOperations,
  prometheus: prometheusOperations,
  telemetry: telemetryOperations,
  token: tokenOperations,
  traffic: trafficOperations,
};

export type OperationGroups = typeof operationGroups;

type Merged<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  whole: infer Whole,
) => void
  ? Whole
  : never;

export const operations: Merged<OperationGroups[keyof OperationGroups]> = Object.assign(
  {},
  ...Object.values(operationGroups),
);

export type Operations = typeof operations;
export type OperationKey = keyof Operations;

type Part<Key extends OperationKey, Name extends string> = Operations[Key] extends {
  readonly [name in Name]: infer Schema extends z.ZodType;
}
  ? Schema
  : never;

/** What a caller gives: defaults may be left out. */
export type OperationInput<Key extends OperationKey> = {
  readonly [Name in 'path' | 'query' | 'body' as Part<Key, Name> extends never
    ? never
    : Name]: Immutable<z.input<Part<Key, Name>>>;
};

/** What a handler gets: checked, with defaults filled in. */
export type OperationRequest<Key extends OperationKey> = {
  readonly [Name in 'path' | 'query' | 'body' as Part<Key, Name> extends never
    ? never
    : Name]: Immutable<z.output<Part<Key, Name>>>;
};

export type OperationResponse<Key extends OperationKey> = Immutable<
  z.output<Operations[Key]['response']>
>;
