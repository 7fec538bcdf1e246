import type { HandlersOf } from '../../http/api.ts';
import type { Actor } from '../../kernel/index.ts';
import {
  type Asker,
  ask,
  askSql,
  drawGraph,
  parameterMeanings,
  questions,
  serviceGraph,
  traceOf,
} from '../../telemetry/index.ts';
import { checkReadOfAny, readableTelemetry } from '../read-rights.ts';
import type { HandlerDeps } from './handler-deps.ts';
import { seenLanes } from './own-lane.ts';

/** Telemetry for callers with the right to read it; the telemetry process runs the queries. */
export function telemetryHandlers(deps: HandlerDeps): HandlersOf<'telemetry'> {
  return {
    'GET /v1/telemetry/questions': async () => ({ questions: listed() }),
    'POST /v1/telemetry/ask': async ({ body: { question, ...given } }, { actor }) =>
      await ask(question, given, await askerOf(actor, deps)),
    'POST /v1/telemetry/query': async ({ body: { sql, rowsMax } }, { actor }) => {
      checkReadOfAny(deps.config, actor, 'sql');
      return await askSql(sql, rowsMax, await askerOf(actor, deps));
    },
    'GET /v1/telemetry/traces/{trace}': async ({ path: { trace } }, { actor }) =>
      await traceOf(trace, await askerOf(actor, deps)),
    'GET /v1/telemetry/graph': async ({ query }, { actor }) => {
      const graph = await serviceGraph(query, await askerOf(actor, deps));
      return { ...graph, drawn: drawGraph(graph.edges) };
    },
  };
}

function listed() {
  return questions.map(({ name, asks, takes, needs = [], sinceMs }) => ({
    question: name,
    asks,
    takes: takes.map((parameter) => ({ name: parameter, meaning: parameterMeanings[parameter] })),
    needs: [...needs],
    since: sinceMs === null ? 'all that is kept' : `${sinceMs / 60_000}m`,
  }));
}

/** An agent sees its own lanes and the baseline, as far as it may; people see everything. */
async function askerOf(actor: Actor, deps: HandlerDeps): Promise<Asker> {
  const { lanes, clock, telemetry, config } = deps;
  const seen = await seenLanes(actor, lanes);
  const readable = readableTelemetry(config, actor);
  const narrowed = seen ? { lanes: seen, caller: actor, ...readable } : {};
  return { query: (sql) => telemetry.query(sql, narrowed), now: clock.now() };
}
