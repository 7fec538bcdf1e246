import { type Instant, nearest, showInstant, showName } from '../../kernel/index.ts';
import type { TableRow } from '../api-schema.ts';
import { baseline, conditions } from './conditions.ts';
import type { Question, QuestionInput, View } from './question.ts';
import { numberIn, type RunQuery, textIn } from './table.ts';

/** Why an answer is empty: the first reason that applies, and what to do about it. */
export async function whyNothing(
  { views: [view] }: Pick<Question, 'views'>,
  asked: QuestionInput,
  query: RunQuery,
): Promise<string> {
  const everything = await findExtent(view, query, 'true');
  if (numberIn(everything, 'kept') === 0) return nothingAtAll(view);
  return (
    (await unknownName('service', view, asked, query)) ??
    (await unknownName('lane', view, asked, query)) ??
    outside(everything, asked) ??
    (await nothingInRange(view, asked, query))
  );
}

const reporters: Readonly<Record<View, string>> = {
  spans:
    'Services report by themselves once they were started with telemetry on (surety system up), or by OpenTelemetry: surety status tells the address',
  requests:
    'Services report by themselves once they were started with telemetry on (surety system up), or by OpenTelemetry: surety status tells the address',
  logs: 'Lines come from the output of services that run (surety system up), and by OpenTelemetry',
  metrics:
    'Metrics come every few seconds from services that run (surety system up), by OpenTelemetry, and from services that tell them to Prometheus (services.<name>.metrics in surety.yaml)',
  hops: 'Hops are calls of one service to another: send a request',
  deployments: 'Promotions are recorded by themselves, others by surety deploy record',
  alerts: 'Alerts come by webhooks and from surety.yaml',
};

function nothingAtAll(view: View): string {
  return `No data: nothing at all was reported to ${view} yet. ${reporters[view]}.`;
}

async function findExtent(
  view: View,
  query: RunQuery,
  where: string,
): Promise<TableRow | undefined> {
  const { rows } = await query(
    `SELECT count(*) AS kept, epoch_ms(min(time)) AS first, epoch_ms(max(time)) AS last FROM ${view} WHERE ${where}`,
  );
  return rows[0];
}

const hasLane = (view: View): boolean => view !== 'deployments' && view !== 'alerts';

async function unknownName(
  name: 'service' | 'lane',
  view: View,
  asked: QuestionInput,
  query: RunQuery,
): Promise<string | undefined> {
  const given = asked[name];
  if (given === undefined || given === baseline || (name === 'lane' && !hasLane(view))) return;
  const column = name === 'service' && view === 'hops' ? 'callee' : name;
  const { rows } = await query(
    `SELECT ${column} AS name FROM ${view} GROUP BY ALL ORDER BY count(*) DESC LIMIT 200`,
  );
  const known = rows.map((row) => textIn(row, 'name')).filter((one) => one !== '');
  if (known.includes(given)) return;
  const near = nearest(given, known);
  const meant = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`;
  const there = known.slice(0, 12).map(showName).join(', ') || 'none';
  return `No data: no ${name} ${JSON.stringify(given)} is in ${view}.${meant} There is: ${there}.`;
}

/** The range lies outside the stored times. */
function outside(
  everything: TableRow | undefined,
  { from, until }: QuestionInput,
): string | undefined {
  const [first, last] = [numberIn(everything, 'first'), numberIn(everything, 'last')];
  if (until <= first) {
    return `No data: what is kept begins at ${showInstant(first)}, after the range ends. What was before it was never reported, or is beyond what is kept (telemetry.retention in surety.yaml).`;
  }
  if (from > last)
    return `No data in the range: the last came at ${showInstant(last)}${longer(last)}.`;
  return undefined;
}

function longer(last: Instant): string {
  return `; ask with since ${showInstant(last)}`;
}

async function nothingInRange(view: View, asked: QuestionInput, query: RunQuery): Promise<string> {
  const kept = numberIn(await findExtent(view, query, conditions(asked)), 'kept');
  const range = `from ${asked.from === 0 ? 'the beginning' : showInstant(asked.from)} to ${showInstant(asked.until)}`;
  if (kept === 0)
    return `No data in the range: ${view} has nothing ${range}. Ask for a longer one.`;
  return `Nothing matches: ${view} has ${kept} rows ${range}, none of which is what was asked for.`;
}
