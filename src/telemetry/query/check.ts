import type { DuckDBConnection } from '@duckdb/node-api';
import {
  fault,
  isJsonObject,
  type Json,
  type JsonObject,
  rankNearest,
} from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import { viewNames } from '../store/views.ts';
import { functionNames } from './functions.ts';
import { type Objection, readSyntax } from './syntax.ts';

/** A query that only reads the views. */
export interface CheckedQuery {
  readonly sql: string;
  readonly views: readonly string[];
}

/** DuckDB itself parses the text, and only constructs that are known to be harmless pass. */
export async function checkQuery(connection: DuckDBConnection, sql: string): Promise<CheckedQuery> {
  if (sql.length > telemetryLimits.telemetryQueryCharsMax) {
    throw fault('QUERY_TOO_LONG', {
      chars: sql.length,
      limit: telemetryLimits.telemetryQueryCharsMax,
    });
  }
  const reading = readSyntax(onlyStatement(await parse(connection, sql)));
  const [objection] = reading.objections;
  if (objection) throw refusal(objection);
  return { sql, views: [...reading.views].sort() };
}

async function parse(connection: DuckDBConnection, sql: string): Promise<JsonObject> {
  const result = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  const parsed = JSON.parse(String(result.getRows()[0]?.[0])) as JsonObject;
  if (parsed.error !== true) return parsed;
  const reason = String(parsed.error_message);
  if (parsed.error_type === 'not implemented') throw fault('QUERY_NOT_A_SELECT', {});
  throw fault('QUERY_INVALID', { reason, hint: 'Correct it, and ask again.' });
}

function onlyStatement(parsed: JsonObject): Json {
  const statements = Array.isArray(parsed.statements) ? parsed.statements : [];
  const [statement] = statements;
  if (statements.length !== 1 || !isJsonObject(statement)) throw fault('QUERY_NOT_A_SELECT', {});
  return statement;
}

const suggestionsMax = 3;

function refusal({ what, name }: Objection): Error {
  const candidates: readonly string[] = what === 'table' ? viewNames : functionNames;
  const near =
    what === 'syntax' || name.includes(' ')
      ? []
      : rankNearest(name, candidates).slice(0, suggestionsMax);
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : instead(name);
  return fault('QUERY_REFUSED', { what, name, hint, views: viewNames.join(', ') });
}

function instead(name: string): string {
  return name.includes('within the lambda')
    ? ' Make rows of the list with unnest, in a query below, and group them again.'
    : '';
}
