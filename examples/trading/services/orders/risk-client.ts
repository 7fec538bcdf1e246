import { credentials, makeGenericClientConstructor, type ServiceError } from '@grpc/grpc-js';
import { HttpError } from '../../shared/http-error.ts';
import { type LimitAnswer, type LimitQuestion, RISK } from '../../shared/risk-protocol.ts';

export type CheckLimit = (question: LimitQuestion) => Promise<LimitAnswer>;

const DEADLINE_MS = 5_000;

type Answered = (error: ServiceError | null, answer?: LimitAnswer) => void;

/** Over one connection of HTTP/2 that is kept. */
export function createCheckLimit(address: string): CheckLimit {
  const Client = makeGenericClientConstructor(RISK, 'Risk');
  const client = new Client(address, credentials.createInsecure());
  return (question) =>
    new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + DEADLINE_MS };
      const answered: Answered = (error, answer) => {
        if (answer) resolve(answer);
        else reject(new HttpError(502, 'risk_failed', `risk did not answer: ${error?.details}.`));
      };
      client.checkLimit?.(question, options, answered);
    });
}
