import { fault } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import { connectTelemetry, type ResultTable, tableOf } from '../../telemetry/index.ts';
import type { WorkspacePlace } from '../place.ts';

/** Runs queries over telemetry; undefined lanes: all. */
export interface TelemetryDesk {
  query(sql: string, lanes: readonly string[] | undefined): Promise<ResultTable>;
}

interface TelemetryDeskDeps {
  readonly place: WorkspacePlace;
  readonly config: Config;
}

export function createTelemetryDesk({ place, config }: TelemetryDeskDeps): TelemetryDesk {
  const telemetry = connectTelemetry(place.state);
  return {
    async query(sql, lanes) {
      if (!config.telemetry.enabled) throw fault('TELEMETRY_OFF', {});
      const body = { sql, ...(lanes ? { lanes } : {}) };
      return tableOf(await telemetry.ask('POST /control/query', body));
    },
  };
}
