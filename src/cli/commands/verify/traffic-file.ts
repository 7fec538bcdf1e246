import { readFileSync } from 'node:fs';
import type { OperationInput } from '../../../http/contract.ts';
import { fault, sharedLimits } from '../../../kernel/index.ts';

type GivenTraffic = NonNullable<OperationInput<'POST /v1/verdicts'>['body']['traffic']>;

/** One request in JSON on each line; empty lines are ignored. */
export function readTraffic(path: string): GivenTraffic {
  const lines = readText(path).split('\n');
  const requests = lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [JSON.parse(line)];
    } catch (error) {
      throw refused(`line ${index + 1} of ${path} is not JSON: ${(error as Error).message}`);
    }
  });
  if (requests.length <= sharedLimits.takenRequestsMax) return requests;
  throw refused(
    `${path} has ${requests.length} requests, more than ${sharedLimits.takenRequestsMax}`,
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw refused(`${path} can't be read: ${(error as Error).message}`);
  }
}

function refused(reason: string): Error {
  return fault('USAGE', { reason, help: 'surety verify --help' });
}
