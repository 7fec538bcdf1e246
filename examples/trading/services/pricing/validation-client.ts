import { bodyOrThrow, type ServiceClient } from '../../shared/http-client.ts';

/** What validation needs to know about a trade. */
export interface ValidationRequest {
  tradeId: string;
  counterparty: string;
  amount: number;
  currency: string;
}

export interface Validation {
  highValue: boolean;
  fraudCheck: 'required' | 'not-required';
  screening: 'passed' | 'refused' | 'skipped';
  reasons: string[];
}

export type Validate = (request: ValidationRequest, requestId: string) => Promise<Validation>;

export function createValidate(call: ServiceClient): Validate {
  return async (request, requestId) => {
    const answer = await call({ method: 'POST', path: '/validations', body: request, requestId });
    const { highValue, fraudCheck, screening, reasons } = bodyOrThrow('validation', answer);
    return { highValue, fraudCheck, screening, reasons } as Validation;
  };
}
