import { fault } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import {
  connectTelemetry,
  type ResultTable,
  type SqlQuestion,
  tableOf,
} from '../../telemetry/index.ts';
import type { WorkspacePlace } from '../place.ts';

/** Runs queries over telemetry, as far as their caller may see it. */
export interface TelemetryDesk {
  query(sql: string, seen: Omit<SqlQuestion, 'sql'>): Promise<ResultTable>;
}

interface TelemetryDeskDeps {
  readonly place: WorkspacePlace;
  readonly config: Config;
}

export function createTelemetryDesk({ place, config }: TelemetryDeskDeps): TelemetryDesk {
  const telemetry = connectTelemetry(place.state);
  return {
    async query(sql, seen) {
      if (!config.telemetry.enabled) throw fault('TELEMETRY_OFF', {});
      return tableOf(await telemetry.ask('POST /control/query', { sql, ...seen }));
    },
  };
}
