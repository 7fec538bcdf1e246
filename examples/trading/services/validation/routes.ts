import { badRequest } from '../../shared/http-error.ts';
import type { JsonObject } from '../../shared/json-body.ts';
import type { Metrics } from '../../shared/metrics.ts';
import type { Route } from '../../shared/route.ts';
import type { ValidationRequest } from './classify.ts';
import type { FraudScreen } from './fraud.ts';
import { validate } from './validate.ts';

const REQUIRED = ['tradeId', 'counterparty', 'amount', 'currency'] as const;

export function validationRoutes(screen: FraudScreen, metrics: Metrics): Route[] {
  const validated = metrics.counter('trades_validated_total', 'Trades that were classified.');
  const screened = metrics.counter('fraud_screenings_total', 'High-value trades screened.');
  for (const highValue of ['true', 'false']) validated.add({ high_value: highValue }, 0);
  for (const outcome of ['passed', 'refused']) screened.add({ outcome }, 0);
  return [
    {
      method: 'POST',
      path: '/validations',
      handle: async ({ json, log }) => {
        const request = toValidationRequest(await json());
        const validation = validate(request, screen);
        const { highValue, screening, reasons } = validation;
        validated.add({ high_value: String(highValue) });
        if (screening !== 'skipped') screened.add({ outcome: screening });
        log.info('trade validated', { tradeId: request.tradeId, highValue, screening, reasons });
        return { status: 200, body: validation };
      },
    },
  ];
}

function toValidationRequest(body: JsonObject): ValidationRequest {
  const missing = REQUIRED.filter((name) => body[name] === undefined);
  if (missing.length > 0) {
    throw badRequest('missing_field', `These fields are missing: ${missing.join(', ')}.`);
  }
  const request = body as unknown as ValidationRequest;
  if (request.amount <= 0) throw badRequest('invalid_field', '"amount" must be greater than 0.');
  return request;
}
