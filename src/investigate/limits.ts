export const alertLimits = {
  /** Alerts in one webhook notification. */
  webhookAlertsMax: 500,
  /** Alerts in one response of the API. The ones that changed last come first. */
  alertsPageMax: 500,
  /** The question of an investigation. */
  questionCharsMax: 500,
  /** Promoted changes that one investigation tests, the newest first. */
  suspectsMax: 5,
  /** How far apart alerts of one incident begin. */
  incidentOnsetMsMax: 600_000,
  /** Alerts that an incident lists; further ones are counted. */
  incidentAlertsMax: 200,
  /** Open incidents. Beyond, alerts join the newest one. */
  incidentsOpenMax: 100,
  /** Incidents in one response of the API, the newest first. */
  incidentsPageMax: 100,
  /** The reason for which a person closes an incident. */
  incidentReasonCharsMax: 500,
} as const;
