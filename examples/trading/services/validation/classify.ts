/** Trades of this amount and above are screened for fraud before they settle. */
export const HIGH_VALUE_THRESHOLD = 10_000;

export interface ValidationRequest {
  tradeId: string;
  counterparty: string;
  amount: number;
  currency: string;
}

export interface Classification {
  highValue: boolean;
  fraudCheck: 'required' | 'not-required';
}

export function classify(request: ValidationRequest): Classification {
  const { amount } = request;
  const highValue = amount >= HIGH_VALUE_THRESHOLD;
  return { highValue, fraudCheck: highValue ? 'required' : 'not-required' };
}
