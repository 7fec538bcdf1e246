import { isJsonObject, type Json, showCall, showName } from '../../kernel/index.ts';
import type { CallShape, FieldTypes, TableRow } from '../api-schema.ts';
import { conditions } from '../questions/conditions.ts';
import type { QuestionInput } from '../questions/question.ts';
import { textIn } from '../questions/table.ts';

const shapesMax = 1_000;

/** A call belongs to a lane if the caller or the callee is a candidate, else to the baseline. */
export function shapesSql(asked: QuestionInput): string {
  const observed = `seen_by = 'router' AND ${conditions(asked)}`;
  return `WITH candidates AS (
  SELECT DISTINCT lane, callee AS service FROM hops
  WHERE ${observed} AND instance NOT IN ('baseline', 'external')
), calls AS (
  SELECT *, trim(method || ' ' || regexp_replace(
    split_part(path, '?', 1), '/[^/]*[0-9][^/]*', '/:id', 'g')) AS call
  FROM hops WHERE ${observed} AND (request_shape <> '' OR response_shape <> '')
)
SELECT coalesce(nullif(caller, ''), 'outside') AS caller, callee,
  CASE WHEN candidates.service IS NULL AND instance IN ('baseline', 'external')
    THEN 'baseline' ELSE calls.lane END AS lane,
  call, request_shape, response_shape, count(*) AS times
FROM calls LEFT JOIN candidates
  ON candidates.lane = calls.lane AND candidates.service = calls.caller
GROUP BY ALL ORDER BY times DESC LIMIT ${shapesMax}`;
}

export function shapeKey(row: Pick<TableRow, string>): string {
  return JSON.stringify([row.caller, row.callee, row.lane]);
}

/** The calls of each edge, with merged shapes. */
export function gatherShapes(rows: readonly TableRow[]): ReadonlyMap<string, readonly CallShape[]> {
  const byEdge = Map.groupBy(rows, shapeKey);
  return new Map(Array.from(byEdge, ([key, members]) => [key, callShapes(members)]));
}

function callShapes(rows: readonly TableRow[]): CallShape[] {
  const byCall = Map.groupBy(rows, (row) => textIn(row, 'call'));
  return Array.from(byCall, ([call, members]) => ({
    call,
    request: together(members.map((row) => textIn(row, 'request_shape'))),
    response: together(members.map((row) => textIn(row, 'response_shape'))),
  })).sort((one, other) => one.call.localeCompare(other.call));
}

function together(texts: readonly string[]): FieldTypes {
  const fields = new Map<string, Set<string>>();
  for (const [field, types] of texts.flatMap(readShape)) {
    fields.set(field, new Set([...(fields.get(field) ?? []), ...types]));
  }
  const sorted = Array.from(fields).sort(([one], [other]) => one.localeCompare(other));
  return Object.fromEntries(sorted.map(([field, types]) => [field, [...types].sort()]));
}

function readShape(text: string): (readonly [string, readonly string[]])[] {
  if (text === '') return [];
  const shape: Json = JSON.parse(text);
  if (!isJsonObject(shape)) return [];
  return Object.entries(shape).map(([field, types]) => [field, [types].flat().map(String)]);
}

/** Differences between the shapes of a lane and those of the baseline, call by call. */
export function shapeDifferences(
  lane: readonly CallShape[],
  baseline: readonly CallShape[],
): string[] {
  return lane.flatMap((mine) => {
    const theirs = baseline.find(({ call }) => call === mine.call);
    if (!theirs) return [];
    return (['request', 'response'] as const).flatMap((side) =>
      fieldDifferences(mine[side], theirs[side]).map(
        (line) => `${showCall(mine.call)} ${side}: ${line}`,
      ),
    );
  });
}

function fieldDifferences(mine: FieldTypes, theirs: FieldTypes): string[] {
  // If one side was never observed, there is nothing to compare.
  if (Object.keys(mine).length === 0 || Object.keys(theirs).length === 0) return [];
  const fields = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])].sort();
  return fields.flatMap((field) => {
    const [before, now] = [theirs[field]?.join(' or '), mine[field]?.join(' or ')];
    if (before === now) return [];
    const name = field === '' ? 'the whole' : showName(field);
    if (before === undefined) return [`${name} is new (${now})`];
    return now === undefined
      ? [`${name} is gone (was ${before})`]
      : [`${name} was ${before}, is ${now}`];
  });
}
