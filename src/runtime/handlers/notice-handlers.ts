import type { HandlersOf } from '../../http/api.ts';
import { hearAlerts, ofAlertmanager, ofWebhook } from '../../investigate/index.ts';
import { readDeployments, recordDeployment } from '../../lanes/index.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function noticeHandlers({ ledger, act }: HandlerDeps): HandlersOf<'notice'> {
  return {
    'POST /v1/webhooks/alertmanager': ({ body }, { actor }) =>
      hearAlerts(actor, ofAlertmanager(body), ledger),
    'POST /v1/webhooks/alerts': ({ body }, { actor }) => hearAlerts(actor, ofWebhook(body), ledger),
    'GET /v1/deployments': async () => ({
      deployments: (await readDeployments(ledger)).toReversed(),
    }),
    'POST /v1/deployments': ({ body }, { actor, key }) =>
      recordDeployment(actor, { ...body, key }, { act, ledger }),
  };
}
