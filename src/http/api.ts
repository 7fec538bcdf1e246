/** The serving half, apart from `index.ts` so that a client does not load it. */
export type {
  Call,
  ChangeHandlers,
  GateHandlers,
  GrantHandlers,
  Handlers,
  LaneHandlers,
  LearningHandlers,
  LedgerHandlers,
  LogHandlers,
  McpHandlers,
  NoticeHandlers,
  PolicyHandlers,
  ProbeHandlers,
  PrometheusHandlers,
  SystemHandlers,
  TaskHandlers,
  TelemetryHandlers,
  TrafficHandlers,
} from './handlers.ts';
export { createInsideClient } from './inside-client.ts';
export { openApiDocument } from './openapi.ts';
export { createPerform } from './perform.ts';
export { RateLimiter } from './rate-limiter.ts';
export { createApi } from './server.ts';
