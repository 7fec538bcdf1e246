import type { HandlersOf } from '../../http/api.ts';
import {
  closeIncident,
  findIncident,
  hearAlerts,
  newestIncidents,
  ofAlertmanager,
  ofWebhook,
} from '../../investigate/index.ts';
import { readDeployments, recordDeployment } from '../../lanes/index.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function noticeHandlers({ ledger, act, hearing }: HandlerDeps): HandlersOf<'notice'> {
  return {
    'POST /v1/webhooks/alertmanager': ({ body }, { actor }) =>
      hearAlerts(actor, ofAlertmanager(body), hearing),
    'POST /v1/webhooks/alerts': ({ body }, { actor }) =>
      hearAlerts(actor, ofWebhook(body), hearing),
    'GET /v1/incidents': () => newestIncidents(ledger),
    'GET /v1/incidents/{incident}': ({ path }) => findIncident(path.incident, ledger),
    'POST /v1/incidents/{incident}/close': ({ path, body }, { actor }) =>
      closeIncident(actor, { ...path, ...body }, hearing),
    'GET /v1/deployments': async () => ({
      deployments: (await readDeployments(ledger)).toReversed(),
    }),
    'POST /v1/deployments': ({ body }, { actor, key }) =>
      recordDeployment(actor, { ...body, key }, { act, ledger }),
  };
}
