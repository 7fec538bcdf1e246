import {
  isJsonObject,
  type Json,
  type JsonObject,
  redactSecrets,
  redactText,
} from '../../../kernel/index.ts';
import type { Check } from '../../api-schema.ts';
import type { ReportedChecks, SuiteOutput } from './check.ts';

/**
 * Why a suite broke off that asked for a fault where there is no lane. It is the beginning of no
 * other reason, so that nothing that a service answers can be taken for it.
 */
export const laneNeeded = 'it needs a lane';

/** One JSON line per check, and one with `broken` from a suite that gave up. */
export function readJsonLines({ output, code }: SuiteOutput): ReportedChecks {
  const lines = output.split('\n').flatMap(readLine);
  const checks = lines.filter(({ check }) => typeof check === 'string').map(toCheck);
  const gaveUp = lines.find(({ broken }) => typeof broken === 'string');
  if (gaveUp) {
    const why = gaveUp.needsLane === true ? laneNeeded : 'it gave up';
    return { checks, broken: redactText(`${why}: ${gaveUp.broken}`) };
  }
  // Programs that print these lines end with 0 or 1; everything else is a crash.
  const crashed = code !== 0 && code !== 1;
  return { checks, broken: crashed ? `it ended with ${code ?? 'a signal'}` : null };
}

function readLine(line: string): JsonObject[] {
  if (!line.startsWith('{')) return [];
  try {
    const value = JSON.parse(line) as Json;
    return isJsonObject(value) ? [value] : [];
  } catch {
    return [];
  }
}

function toCheck({ check, passed, expected, actual, requestId, reason }: JsonObject): Check {
  return {
    check: String(check),
    passed: passed === true,
    expected: redactSecrets(expected ?? null),
    actual: redactSecrets(actual ?? reason ?? null),
    requestId: typeof requestId === 'string' && requestId !== '' ? requestId : null,
  };
}
