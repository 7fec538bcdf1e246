import { type Answer, connectTelemetry, type Table, tableOf } from '../telemetry/index.ts';
import type { Place } from './place.ts';

/** Who runs queries over telemetry; undefined lanes: all of them may be seen. */
export interface TelemetryDesk {
  query(sql: string, lanes: readonly string[] | undefined): Promise<Table>;
}

export function createTelemetryDesk({ state }: Place): TelemetryDesk {
  const telemetry = connectTelemetry(state);
  return {
    async query(sql, lanes) {
      const body = { sql, ...(lanes ? { lanes } : {}) };
      return tableOf(await telemetry.ask<Answer>({ method: 'POST', path: 'query', body }));
    },
  };
}
