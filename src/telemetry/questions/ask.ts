import type { Instant } from '../../kernel/index.ts';
import type { AskedText, QuestionAnswer } from '../api-schema.ts';
import { boundRows } from './bound-rows.ts';
import { checkQuestion, findQuestion } from './check-question.ts';
import { sinceDeployment } from './deployment.ts';
import { describeSearch } from './describe-search.ts';
import { whyNothing } from './no-data.ts';
import type { RunQuery } from './table.ts';

export interface Asker {
  /** With what they may see of it. */
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
