import type { AskedText, GraphEdge, ServiceGraph } from '../api-schema.ts';
import { telemetryLimits } from '../limits.ts';
import type { SearchedView } from '../query/answer.ts';
import type { Asker } from '../questions/ask.ts';
import { rangeOf } from '../questions/check-question.ts';
import { baseline } from '../questions/conditions.ts';
import { describeSearch } from '../questions/describe-search.ts';
import { whyNothing } from '../questions/no-data.ts';
import type { QuestionInput } from '../questions/question.ts';
import { type Edge, edgeOf, edgesSql } from './edges.ts';
import { gatherShapes, shapeDifferences, shapeKey, shapesSql } from './shapes.ts';

const sinceMs = 15 * 60_000;

/** Which service calls which, from reports of services and hops of the router. */
export async function serviceGraph(given: AskedText, asker: Asker): Promise<ServiceGraph> {
  const { service, lane } = given;
  const asked: QuestionInput = {
    ...rangeOf(given, asker.now, sinceMs),
    ...(service === undefined ? {} : { service }),
    ...(lane === undefined ? {} : { lane }),
    rowsMax: telemetryLimits.telemetryQuestionRowsMax,
  };
  const query = edgesSql(asked);
  const table = await asker.query(query);
  const shapes = gatherShapes((await asker.query(shapesSql(asked))).rows);
  const edges = table.rows.map((row) =>
    withShapes(edgeOf(row, secondsOf(asked, table.searched)), shapes),
  );
  const isEmpty = edges.length === 0;
  return {
    edges,
    said: isEmpty ? await whyNothing({ views: ['spans'] }, asked, asker.query) : say(edges),
    query,
    from: asked.from,
    until: asked.until,
    searched: describeSearch(table.searched),
    elapsedMs: table.elapsedMs,
    isEmpty,
    isCut: table.isCut || edges.length >= asked.rowsMax,
  };
}

/** Rates cover the part of the range that has data. */
function secondsOf({ from, until }: QuestionInput, searched: readonly SearchedView[]): number {
  const begins = searched.flatMap(({ from: first }) => (first === null ? [] : [Date.parse(first)]));
  const since = Math.max(from, begins.length === 0 ? 0 : Math.min(...begins));
  return Math.max(1, (until - since) / 1_000);
}

function withShapes(edge: Edge, shapes: ReturnType<typeof gatherShapes>): GraphEdge {
  const theirs = shapes.get(shapeKey({ ...edge, lane: baseline })) ?? [];
  const own = shapes.get(shapeKey({ ...edge })) ?? theirs;
  return { ...edge, shapes: own, differences: shapeDifferences(own, theirs) };
}

function say(edges: readonly GraphEdge[]): string {
  const calls = edges.reduce((sum, edge) => sum + edge.calls, 0);
  const nodes = new Set(edges.flatMap(({ caller, callee }) => [caller, callee]));
  const different = edges.filter(({ differences }) => differences.length > 0).length;
  const wire =
    different > 0 ? ` ${different} of them say something else on the wire than the baseline.` : '';
  return `${calls} calls on ${edges.length} edges between ${nodes.size} parties.${wire}`;
}
