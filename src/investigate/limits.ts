export const alertLimits = {
  /** Alerts in one webhook notification. */
  webhookAlertsMax: 500,
  /** Alerts in one response of the API. The ones that changed last come first. */
  alertsPageMax: 500,
  /** The question of an investigation. */
  questionCharsMax: 500,
  /** Promoted changes that one investigation tests, the newest first. */
  suspectsMax: 5,
} as const;
