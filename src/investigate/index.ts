export { hearAlerts, newestAlerts, raisedAlerts } from './alert-rows.ts';
export { AlertWatch } from './alerts.ts';
export type { AlertRecord } from './api-schema.ts';
export { ofAlertmanager, ofWebhook } from './heard-alert.ts';
export { type InvestigateDeps, investigate } from './investigate.ts';
export type { QueryTelemetry } from './telemetry-ranking.ts';
