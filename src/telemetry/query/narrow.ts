import type { DuckDBConnection } from '@duckdb/node-api';
import { quoted } from '../store/engine.ts';
import { viewNames } from '../store/views.ts';

const ofNoLane: readonly string[] = ['deployments', 'alerts'];

/**
 * Puts views of this connection alone in front of the others, with nothing in them but the baseline
 * and these lanes. A query can name no schema, so it can't reach past them.
 */
export async function narrow(
  connection: DuckDBConnection,
  lanes: readonly string[] | undefined,
): Promise<void> {
  if (lanes === undefined) return;
  const seen = ['', ...lanes].map(quoted).join(', ');
  for (const view of viewNames.filter((name) => !ofNoLane.includes(name))) {
    await connection.run(
      `CREATE TEMP VIEW ${view} AS SELECT * FROM memory.main.${view} WHERE lane IN (${seen})`,
    );
  }
}
