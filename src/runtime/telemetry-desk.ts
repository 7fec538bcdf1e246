import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FaultReport, fault, faultFromReport } from '../kernel/index.ts';
import { type Answer, type Table, tableOf } from '../telemetry/index.ts';
import type { Place } from './place.ts';

/** Who runs queries over telemetry; undefined lanes: all of them may be seen. */
export interface TelemetryDesk {
  query(sql: string, lanes: readonly string[] | undefined): Promise<Table>;
}

export function createTelemetryDesk({ state }: Place): TelemetryDesk {
  return {
    query: async (sql, lanes) => tableOf(await ask(state, { sql, ...(lanes ? { lanes } : {}) })),
  };
}

async function ask(state: string, question: object): Promise<Answer> {
  const { port, token } = readFile(state);
  const response = await fetch(`http://127.0.0.1:${port}/control/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(question),
  }).catch((error) => {
    throw fault('TELEMETRY_OFF', { reason: 'its process does not answer' }, error);
  });
  const value = await response.json();
  if (response.ok) return value as Answer;
  throw faultFromReport((value as { fault: FaultReport }).fault);
}

function readFile(state: string): { port: number; token: string } {
  try {
    return JSON.parse(readFileSync(join(state, 'telemetry.json'), 'utf8'));
  } catch {
    throw fault('TELEMETRY_OFF', { reason: 'it was not started here yet' });
  }
}
