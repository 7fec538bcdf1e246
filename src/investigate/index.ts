export { type AlertRow, AlertWatch, alertPrefix, raisedAlerts } from './alerts.ts';
export { type InvestigateDeps, type Investigation, investigate } from './investigate.ts';
