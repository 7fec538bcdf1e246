/** What a text in SQL does, as far as its keywords tell. */
export interface SqlText {
  /** The statements that are not known to only read. */
  readonly changes: readonly string[];
  /** An update or delete without a condition, or one that throws a table away. */
  readonly isUnbounded: boolean;
  /** Whether the changes are in a transaction, or each has a condition. */
  readonly isLimited: boolean;
}

const reading =
  /^(?:select|show|explain|describe|desc|values|table|with|pragma\s+\w+\s*(?:\(|$)|use|help|\\(?:d|l|dt|du|df|dn|di|dv|x|timing|conninfo|q|\?|z|echo|pset|encoding|h)\S*|\.(?:tables|schema|databases|indexes|mode|headers|dump|help|quit|exit|show|stats|timer|width|nullvalue)|begin|start|commit|end|rollback|savepoint|set\s+(?:search_path|statement_timeout|role|local|session|names)|analyze|reset|checkpoint|list|fetch|declare|close|do\s+0)\b/i;

export function readStatements(text: string): SqlText {
  const bare = text
    .replace(/--[^\n]*/g, ' ')
    .replace(/\/\*(?!!)[\s\S]*?\*\//g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "$$''");
  const statements = bare
    .split(/;|\n(?=\s*[\\.])/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const changes = statements.filter((statement) => !isReading(statement));
  const isTransaction = statements.some((statement) =>
    /^(?:begin|start\s+transaction)\b/i.test(statement),
  );
  return {
    changes: changes.map((statement) => statement.replace(/\s+/g, ' ').slice(0, 200)),
    isUnbounded: changes.some(isUnbounded),
    isLimited: isTransaction || changes.every((statement) => /\bwhere\b/i.test(statement)),
  };
}

/** A select can write, too: into a table, a file or by a data-modifying `with`. */
function isReading(statement: string): boolean {
  if (!reading.test(statement)) return false;
  if (
    /^explain\b/i.test(statement) &&
    /\banalyze\b/i.test(statement) &&
    /\b(?:insert|update|delete|merge)\b/i.test(statement)
  )
    return false;
  if (/^pragma\b/i.test(statement) && /=/.test(statement)) return false;
  return !/\binto\b|\b(?:insert|update|delete|drop|truncate|alter|create|merge|replace)\s+(?:into|from|table|\w+\s+set|only|schema|database|view|index|user|role)\b|\$''|\bpg_(?:terminate|cancel|reload|rotate|drop|create)|setval|nextval|lo_unlink|set_config|\bfor\s+update\b/i.test(
    statement,
  );
}

function isUnbounded(statement: string): boolean {
  if (/\b(?:drop|truncate)\b/i.test(statement)) return true;
  if (/\b(?:delete\s+from|update)\b/i.test(statement))
    return (
      !/\bwhere\b/i.test(statement) ||
      /\b(?:where|or)\s+(?:not\s+)?\(*\s*(?:1\s*=\s*1|true|1\b|''\s*=\s*''|''\s*is\s+not\s+null|(\w+)\s*=\s*\1\b)/i.test(
        statement,
      )
    );
  return /\$''|^(?:grant|revoke|alter|call|do|exec)/i.test(statement);
}
