import { textLiteral, timeLiteral } from './literal.ts';
import type { QuestionInput } from './question.ts';

/** What a column is compared with, for each parameter that names one. */
const columns = { service: 'service', lane: 'lane', route: 'route', trace: 'trace_id' } as const;

type ComparedPeriods = keyof typeof columns;

/** As people say it, in answers and in questions: rows of no lane are the baseline's. */
export const laneName = "coalesce(nullif(lane, ''), 'baseline') AS lane";

export const baseline = 'baseline';

/** OpenTelemetry calls it an error of the caller when it is refused (4xx); that is an answer. */
export const spanFailed = `(coalesce(http_status >= 500, false)
    OR (status = 'error' AND (http_status IS NULL OR kind <> 'client')))`;

/** Nobody answers a message. */
export const hopFailed = `(status >= 500 OR (NOT is_answered AND protocol <> 'message'))`;

/** `time` in the range, and what else was asked for, as far as the view has it. */
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
