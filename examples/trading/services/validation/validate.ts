import { type Classification, classify, type ValidationRequest } from './classify.ts';
import type { FraudReason, FraudScreen } from './fraud.ts';

export interface Validation extends Classification {
  tradeId: string;
  screening: 'passed' | 'refused' | 'skipped';
  reasons: FraudReason[];
}

export function validate(request: ValidationRequest, screen: FraudScreen): Validation {
  const { tradeId } = request;
  const classification = classify(request);
  if (classification.fraudCheck === 'not-required') {
    return { tradeId, ...classification, screening: 'skipped', reasons: [] };
  }
  const reasons = screen(request);
  const screening = reasons.length === 0 ? 'passed' : 'refused';
  return { tradeId, ...classification, screening, reasons };
}
