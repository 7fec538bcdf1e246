import { type Fault, fault } from '../kernel/index.ts';
import type { ProbePlacement } from './api-schema.ts';
import { checkCondition, checkExpression, type ProbeExpression } from './expression.ts';
import { probeLimits } from './limits.ts';

/** What somebody wants to see: which line of which process, which expressions, and for how long. */
export interface ProbeRequest extends Omit<ProbePlacement, 'service' | 'lane'> {
  readonly pid: number;
  /** Absolute path of the file that runs, or an end of it that no other loaded file has. */
  readonly file: string;
  /** An expression that tells which request this is: `request.headers['x-request-id']`. */
  readonly requestId?: string;
}

/** A request that passed all checks that need no process. */
export interface ProbePlan {
  readonly pid: number;
  readonly file: string;
  readonly line: number;
  readonly expressions: readonly ProbeExpression[];
  readonly condition?: ProbeExpression;
  readonly requestId?: ProbeExpression;
  readonly hitsMax: number;
  readonly ttlMs: number;
}

const hitsDefault = 20;
const ttlMsDefault = 60_000;

export function checkRequest(request: ProbeRequest): ProbePlan {
  const { pid, file, line, expressions, condition, requestId } = request;
  const { hitsMax = hitsDefault, ttlMs = ttlMsDefault } = request;
  checkWhole('pid', pid, 2 ** 22);
  checkWhole('line', line, 2 ** 31);
  checkWhole('hitsMax', hitsMax, probeLimits.probeHitsMax);
  checkWhole('ttlMs', ttlMs, probeLimits.probeTtlMsMax);
  checkWhole('the number of expressions', expressions.length, probeLimits.probeExpressionsMax);
  if (file === '') throw impossible('file', 'it is empty', 'a path or the end of one');
  return {
    pid,
    file,
    line,
    expressions: [...new Set(expressions)].map(checkExpression),
    ...(condition === undefined ? {} : { condition: checkCondition(condition) }),
    ...(requestId === undefined ? {} : { requestId: checkExpression(requestId) }),
    hitsMax,
    ttlMs,
  };
}

function checkWhole(field: string, value: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return;
  throw impossible(field, `it is ${value}`, `a whole number from 1 to ${max}`);
}

function impossible(field: string, reason: string, allowed: string): Fault {
  return fault('PROBE_REQUEST_INVALID', { field, reason, allowed });
}
