import { fault, type Instant } from '../../kernel/index.ts';
import type { AskedText, QuestionAnswer } from '../api-schema.ts';
import { boundRows } from './bound-rows.ts';
import { checkQuestion, findQuestion } from './check-question.ts';
import { describeSearch } from './describe-search.ts';
import { textLiteral } from './literal.ts';
import { whyNothing } from './no-data.ts';
import type { QuestionInput } from './question.ts';
import { nameIn, type RunQuery } from './table.ts';

export interface Asker {
  /** Runs SQL with the caller's rights. */
  readonly query: RunQuery;
  readonly now: Instant;
}

export async function ask(name: string, given: AskedText, asker: Asker): Promise<QuestionAnswer> {
  const question = findQuestion(name);
  const checked = checkQuestion(question, given, asker.now);
  const asked = await sinceDeployment(checked, asker.query);
  const query = question.sql(asked);
  const table = await asker.query(query);
  const isEmpty = table.rows.length === 0;
  const said = isEmpty
    ? await whyNothing(question, asked, asker.query)
    : question.say(table.rows, asked);
  return {
    question: name,
    asks: question.asks,
    said,
    query,
    from: asked.from,
    until: asked.until,
    searched: describeSearch(table.searched),
    columns: table.columns,
    elapsedMs: table.elapsedMs,
    isEmpty,
    ...boundRows(table, asked.rowsMax),
  };
}

/** With a deployment, the range begins at that deployment. */
export async function sinceDeployment(
  asked: QuestionInput,
  query: RunQuery,
): Promise<QuestionInput> {
  const { deployment } = asked;
  if (deployment === undefined) return asked;
  const named = textLiteral(deployment);
  const { rows } = await query(`SELECT epoch_ms(max(time)) AS since FROM deployments
WHERE service = ${named} OR starts_with(version, ${named})`);
  const since = rows[0]?.since;
  if (since != null) return { ...asked, from: Number(since) };
  throw fault('TELEMETRY_ASKED_WRONGLY', {
    what: `The deployment ${JSON.stringify(deployment)}`,
    reason: `is not known; ${await knownDeployments(query)}`,
  });
}

async function knownDeployments(query: RunQuery): Promise<string> {
  const { rows } = await query(
    'SELECT service, version FROM deployments ORDER BY time DESC LIMIT 5',
  );
  if (rows.length === 0) return 'none was recorded (surety deploy record)';
  const known = rows.map((row) => `${nameIn(row, 'service')} ${nameIn(row, 'version')}`);
  return `the newest are ${known.join(', ')}`;
}
