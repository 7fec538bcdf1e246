export { alertPrefix, hearAlerts, newestAlerts, raisedAlerts } from './alert-rows.ts';
export { AlertWatch } from './alerts.ts';
export type {
  AlertmanagerNotice,
  AlertRecord,
  Investigation,
  ReceivedAlert,
  WebhookNotice,
} from './api-schema.ts';
export { type AlertNotice, ofAlertmanager, ofWebhook } from './heard-alert.ts';
export { type InvestigateDeps, investigate } from './investigate.ts';
