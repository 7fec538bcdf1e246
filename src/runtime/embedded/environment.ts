import type { OperationRequest, OperationResponse } from '../../http/contract.ts';
import { createConnect, type DaemonAddress } from './daemon-connection.ts';

/** `changes` is a patch; the rest is left out for all suites, quickly, within ten minutes. */
export type ValidationRequest = Pick<OperationRequest<'POST /v1/validations'>['body'], 'changes'> &
  Partial<OperationRequest<'POST /v1/validations'>['body']>;
export type ValidationAnswer = OperationResponse<'POST /v1/validations'>;

/** The running system of a daemon, for a harness that has changes proven on it. */
export interface Environment {
  /** Both `tests_passed` and `metrics_acceptable` are true for a `pass`, and for nothing else. */
  deployAndValidate(request: ValidationRequest): Promise<ValidationAnswer>;
}

const defaultMinutes = 10;
/** Beyond its own time: closing lanes, and the way there and back. */
const answerMsMore = 60_000;

export function openEnvironment(address: DaemonAddress): Environment {
  const connect = createConnect(address);
  return {
    deployAndValidate: (request) => {
      const minutes = request.timeout_minutes ?? defaultMinutes;
      const body = { ...request, timeout_minutes: minutes };
      const answerMsMax = Math.ceil(minutes * 60_000) + answerMsMore;
      return connect().call('POST /v1/validations', { body }, { answerMsMax });
    },
  };
}
