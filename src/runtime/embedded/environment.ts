import type { OperationRequest, OperationResponse } from '../../http/contract.ts';
import { createConnect, type DaemonAddress } from './daemon-connection.ts';

/** `changes` is a patch. Defaults: all suites, the profile quick, ten minutes. */
export type ValidationRequest = Pick<OperationRequest<'POST /v1/validations'>['body'], 'changes'> &
  Partial<OperationRequest<'POST /v1/validations'>['body']>;
export type ValidationAnswer = OperationResponse<'POST /v1/validations'>;

/** The running system of a daemon, for a harness that verifies changes on it. */
export interface Environment {
  /** `tests_passed` and `metrics_acceptable` are both true for a `pass`, and only then. */
  deployAndValidate(request: ValidationRequest): Promise<ValidationAnswer>;
}

const defaultMinutes = 10;
/** In addition to its own time limit: for closing lanes and for the connection. */
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
