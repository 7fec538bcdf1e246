import { fault } from '../../kernel/index.ts';
import { textLiteral } from './literal.ts';
import type { QuestionInput } from './question.ts';
import { nameIn, type RunQuery } from './table.ts';

/** With a deployment, the range begins when it happened. */
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
