import { textLiteral, timeLiteral } from './literal.ts';
import type { QuestionInput } from './question.ts';

/** The column that each parameter is compared with. */
const columns = { service: 'service', lane: 'lane', route: 'route', trace: 'trace_id' } as const;

type ComparedPeriods = keyof typeof columns;

/** The displayed name of a lane: rows without a lane belong to the baseline. */
export const laneName = "coalesce(nullif(lane, ''), 'baseline') AS lane";

export const baseline = 'baseline';

/** For OpenTelemetry a refusal (4xx) is an error of the caller; here it is an answer. */
export const spanFailed = `(coalesce(http_status >= 500, false)
    OR (status = 'error' AND (http_status IS NULL OR kind <> 'client')))`;

/** Messages have no answer. */
export const hopFailed = `(status >= 500 OR (NOT is_answered AND protocol <> 'message'))`;

/** `time` in the range, and the other parameters that the view has columns for. */
export function conditions(asked: QuestionInput, ...compared: readonly ComparedPeriods[]): string {
  const equal = compared.flatMap((name) => {
    const given = asked[name];
    if (given === undefined) return [];
    const value = name === 'lane' && given === baseline ? '' : given;
    return [`${columns[name]} = ${textLiteral(value)}`];
  });
  return [...inRange(asked), ...equal].join(' AND ');
}

function inRange({ from, until }: QuestionInput): string[] {
  return [...(from > 0 ? [`time >= ${timeLiteral(from)}`] : []), `time < ${timeLiteral(until)}`];
}
