export const alertLimits = {
  /** Alerts in one webhook notification. */
  webhookAlertsMax: 500,
  /** Alerts in one response of the API. The ones that changed last come first. */
  alertsPageMax: 500,
} as const;
