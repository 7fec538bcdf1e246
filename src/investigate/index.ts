export {
  type AlertRecord,
  alertPrefix,
  hearAlerts,
  newestAlerts,
  type ReceivedAlert,
  raisedAlerts,
} from './alert-rows.ts';
export { AlertWatch } from './alerts.ts';
export {
  type AlertmanagerNotice,
  type AlertNotice,
  ofAlertmanager,
  ofWebhook,
  type WebhookNotice,
} from './heard-alert.ts';
export { type InvestigateDeps, type Investigation, investigate } from './investigate.ts';
