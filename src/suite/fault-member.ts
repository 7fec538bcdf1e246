import { SuiteError } from './broken.ts';

/** Something that goes wrong on purpose, at one hop of the requests that ask for it. */
export interface FaultRequest {
  /** `pricing>validation`: who calls whom. `outside` is who sends requests, `*` is anybody. */
  readonly hop: string;
  /** The call arrives so much later. */
  readonly delayMs?: number;
  /** The caller gets this status; the call never arrives. */
  readonly status?: number;
  /** The connection breaks off; the call never arrives. */
  readonly reset?: boolean;
  /** The call is served, and its answer never arrives. */
  readonly lost?: boolean;
  /** How many of the requests have it, from 0 to 1; the same ones in every run. All by default. */
  readonly share?: number;
}

const hopForm = /^[^\s>,;="\\|+]+>[^\s>,;="\\|+]+$/;

/** As the router reads it from the request's baggage. */
export function faultMember({ hop, delayMs, status, reset, lost }: FaultRequest): string {
  if (!hopForm.test(hop)) throw new SuiteError(`"${hop}" is no hop; write caller>service`);
  const parts = [
    ...(delayMs === undefined ? [] : [`delay=${delayMs}`]),
    ...(status === undefined ? [] : [`status=${status}`]),
    ...(reset ? ['reset'] : []),
    ...(lost ? ['lost'] : []),
  ];
  if (parts.length === 0) throw new SuiteError('A fault needs delayMs, status, reset or lost.');
  return `${hop}:${parts.join('+')}`;
}

/**
 * Which requests of a client have the fault: spread evenly and without chance, so that two versions
 * that are compared meet the same.
 */
export function shareOf({ share = 1 }: FaultRequest): () => boolean {
  if (!(share >= 0 && share <= 1)) throw new SuiteError(`share must be 0 to 1, not ${share}`);
  let sent = 0;
  return () => {
    sent += 1;
    return Math.floor(sent * share) > Math.floor((sent - 1) * share);
  };
}
