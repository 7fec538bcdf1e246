import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client as McpClient } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationResponse } from '../src/http/index.ts';
import { asAgent } from './harness/mcp/agent-token.ts';
import { call } from './harness/mcp/gateway-client.ts';
import { connectOwn } from './harness/mcp/own-client.ts';
import { commit, git, makeSmallSystem, type SmallSystem } from './harness/systems/small-system.ts';
import { until } from './harness/until.ts';
import type { Workspace } from './harness/workspace.ts';

type Answer = OperationResponse<'POST /v1/telemetry/ask'>;

const config = `
telemetry: { enabled: true }
agents:
  coder: { tools: ["lane.*"] }
  rival: { tools: [] }
`;

/** Hands the path on, and the status back. */
const front = `import { createServer } from 'node:http';
createServer(async (request, response) => {
  if (request.url === '/') return response.end('{}');
  const answer = await fetch(new URL(request.url, process.env.NEXT_URL));
  response.statusCode = answer.status;
  response.end(await answer.text());
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const back = `import { createServer } from 'node:http';
createServer((request, response) => {
  console.log('priced for', 5);
  if (request.url === '/fail') response.statusCode = 500;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ amount: 5 }));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const sent = { good: 12, bad: 3, lane: 5 };

let system: SmallSystem;
let workspace: Workspace;
let lane: string;
let coder: McpClient;
beforeAll(async () => {
  system = await makeSmallSystem(config);
  workspace = system.workspace;
  writeFileSync(join(workspace.root, 'front.mjs'), front);
  writeFileSync(join(workspace.root, 'back.mjs'), back);
  commit(workspace.root, 'services that call each other');
  await workspace.up();
  await workspace.run('system', 'up');
  coder = await connectOwn(workspace, 'coder', 'modern', 'http');
  await sendAll();
  await until('everything was reported', isAllThere);
});
afterAll(async () => {
  await coder?.close();
  await workspace[Symbol.asyncDispose]();
});

/** To the baseline, some of which fail; and to a lane whose back says something else. */
async function sendAll(): Promise<void> {
  const base = `http://127.0.0.1:${system.ports.front}`;
  for (let n = 0; n < sent.good; n++) await send(`${base}/orders`, { 'x-request-id': `good-${n}` });
  for (let n = 0; n < sent.bad; n++) await send(`${base}/fail`, { 'x-request-id': `bad-${n}` });
  const { value } = await call(coder, 'open_lane', { patch: patchOfBack() });
  const opened = value as unknown as OperationResponse<'POST /v1/lanes'>;
  lane = opened.lane.lane;
  const baggage = `surety-lane=${lane}`;
  for (let n = 0; n < sent.lane; n++) await send(`${opened.address}/orders`, { baggage });
}

async function send(url: string, headers: Record<string, string>): Promise<void> {
  await (await fetch(url, { headers })).text();
}

function patchOfBack(): string {
  const changed = back.replace('amount: 5', "amount: '5'").replace('priced for', 'priced anew for');
  writeFileSync(join(workspace.root, 'back.mjs'), changed);
  const patch = git(workspace.root, 'diff', '--', 'back.mjs');
  git(workspace.root, 'checkout', '--quiet', '--', 'back.mjs');
  return patch;
}

function ask(question: string, given: object = {}): Promise<Answer> {
  const body = { question, ...given };
  return workspace.client().call('POST /v1/telemetry/ask', { body });
}

const all = sent.good + sent.bad + sent.lane;

/** Reports come a moment later than what they tell. */
async function isAllThere(): Promise<boolean> {
  const sql = `SELECT
    (SELECT count(*) FROM requests WHERE route <> '/') AS requests,
    (SELECT count(*) FROM logs WHERE trace_id <> '') AS lines,
    (SELECT count(*) FROM hops) AS hops,
    (SELECT count(DISTINCT instance) FROM metrics) AS instances`;
  const { rows } = await workspace.client().call('POST /v1/telemetry/query', { body: { sql } });
  const { requests, lines, hops, instances } = rows[0] ?? {};
  const calls = sent.good + sent.bad + 2 * sent.lane;
  return requests === 2 * all && lines === all && hops === calls && instances === 3;
}

const sum = (rows: Answer['rows'], column: string): number =>
  rows.reduce((total, row) => total + Number(row[column]), 0);

const not = (route: string) => (row: Answer['rows'][number]) => row.route !== route;

// proves: telemetry.questions
describe('a system under traffic', () => {
  test('reports how many requests were sent and how many failed', async () => {
    const given = { service: 'front', lane: 'baseline' };
    const { rows } = await ask('error-rate', given);
    // Failures first; the health check asks for /.
    expect(rows.filter(not('GET /'))).toMatchObject([
      { route: 'GET /fail', requests: sent.bad, errors: sent.bad, error_percent: 100 },
      { route: 'GET /orders', requests: sent.good, errors: 0 },
    ]);
    const answers = await ask('requests-by-status', { service: 'back', lane: 'baseline' });
    expect(answers.rows).toMatchObject([
      { status: 200, requests: sent.good },
      { status: 500, requests: sent.bad },
    ]);
    const { rows: latencies } = await ask('latency', { service: 'back', route: '/orders' });
    expect(sum(latencies, 'requests')).toBe(sent.good + sent.lane);
  });

  test('reports the requests of a lane separately', async () => {
    const { rows } = await ask('error-rate', { lane, route: '/orders' });
    expect(rows.map(({ service, requests }) => [service, requests]).sort()).toEqual([
      ['back', sent.lane],
      ['front', sent.lane],
    ]);
    const signatures = await ask('new-log-signatures', { lane });
    expect(signatures.rows).toMatchObject([
      { service: 'back', example: 'priced anew for 5', lines: sent.lane },
    ]);
  });

  test('shows one request through all services with its log lines', async () => {
    const path = { trace: 'bad-1' };
    const trace = await workspace.client().call('GET /v1/telemetry/traces/{trace}', { path });
    expect(trace.spans).toMatchObject([
      { depth: 0, service: 'front', kind: 'server', httpStatus: 500, isError: true },
      { depth: 1, service: 'front', kind: 'client', httpStatus: 500 },
      { depth: 2, service: 'back', kind: 'server', httpStatus: 500 },
    ]);
    expect(trace.lines).toMatchObject([{ service: 'back', text: 'priced for 5' }]);
    const failed = await ask('failed-traces', { service: 'back' });
    expect(failed.rows).toHaveLength(sent.bad);
    expect((await ask('errors', { service: 'back' })).rows).toMatchObject([{ times: sent.bad }]);
  });

  // proves: telemetry.graph
  test('shows who calls whom, in the baseline and in the lane', async () => {
    const graph = await workspace.client().call('GET /v1/telemetry/graph', { query: {} });
    const edges = graph.edges.map(({ caller, callee, lane: of, calls, errors }) => {
      return [caller, callee, of, calls, errors];
    });
    expect(edges).toContainEqual(['front', 'back', 'baseline', sent.good + sent.bad, sent.bad]);
    expect(edges).toContainEqual(['outside', 'front', lane, sent.lane, 0]);
    expect(edges).toContainEqual(['front', 'back', lane, sent.lane, 0]);
    const inLane = graph.edges.find((edge) => edge.callee === 'back' && edge.lane === lane);
    expect(inLane?.shapes).toMatchObject([{ response: { amount: ['string'] } }]);
  });

  test('shows which services report, what they use, and what is new', async () => {
    const services = await ask('services');
    expect(services.rows.map(({ service }) => service).sort()).toEqual(['back', 'front']);
    const memory = await ask('memory');
    expect(memory.rows).toHaveLength(3);
    expect(memory.rows.every(({ now_mb }) => Number(now_mb) > 1)).toBe(true);
    expect((await ask('cpu', { service: 'front' })).rows).toHaveLength(2);
    const changed = await ask('what-changed');
    expect(changed.rows.filter(({ what }) => what === 'new service')).toHaveLength(2);
    const hops = await ask('slowest-hops', { lane });
    expect(hops.rows).toHaveLength(2);
  });
});

describe('a query of telemetry', () => {
  test('in a terminal prints tables, waterfalls, bars and a drawing', async () => {
    const [query, traces, metrics, graph, line, wrong, sql] = await Promise.all([
      workspace.run('query', 'error-rate', '--service', 'back', '--lane', lane),
      workspace.run('traces', 'good-0'),
      workspace.run('metrics', 'process.memory', '--service', 'front'),
      workspace.run('graph', '--lane', lane),
      workspace.run('logs', '--lane', lane, '--grep', 'ANEW'),
      workspace.surety('query', 'error-rate', '--since', 'soon'),
      workspace.surety('query', '--sql', "SELECT * FROM 'surety.yaml'"),
    ]);
    expect(query).toMatchObject({ rows: [{ requests: sent.lane }], isCut: false });
    expect(traces.said).toBe('3 spans of 2 services.');
    expect(metrics.rows).toMatchObject([{ unit: 'By' }]);
    expect(graph.drawn).toHaveLength(4);
    expect(line).toMatchObject({ service: 'back', text: 'priced anew for 5', lane });
    expect([wrong.code, wrong.value.fault?.code]).toEqual([2, 'TELEMETRY_ASKED_WRONGLY']);
    expect([sql.code, sql.value.fault?.code]).toEqual([2, 'QUERY_REFUSED']);
  });

  test('by an agent over MCP covers its own lanes and the baseline', async () => {
    const sql = 'SELECT lane, count(*) AS requests FROM requests GROUP BY lane ORDER BY lane';
    const own = await call(coder, 'query_telemetry', { sql });
    expect(own.value.rows).toMatchObject([{ lane: '' }, { lane, requests: 2 * sent.lane }]);
    expect(own.text).toContain('come from services');
    const asked = await call(coder, 'ask_telemetry', { question: 'errors', service: 'back' });
    expect(asked.text).toContain('Query: WITH failures AS');
    expect((await call(coder, 'get_trace', { trace: 'bad-0' })).text).toContain('- back');
    expect((await call(coder, 'get_service_graph', { lane })).text).toContain(lane);
  });

  // proves: telemetry.lanes
  test('by another agent reveals nothing of the lane', async () => {
    const rival = asAgent(workspace, 'rival');
    const body = { sql: `SELECT * FROM hops WHERE lane <> ''` };
    expect((await rival.call('POST /v1/telemetry/query', { body })).rows).toEqual([]);
    const asked = { question: 'latency', lane };
    const { said } = await rival.call('POST /v1/telemetry/ask', { body: asked });
    expect(said).toMatch(/^No data: no lane "lane_/);
    const graph = await rival.call('GET /v1/telemetry/graph', { query: {} });
    expect(new Set(graph.edges.map((edge) => edge.lane))).toEqual(new Set(['baseline']));
  });

  // proves: telemetry.lanes
  test("by the owner of a closed lane still shows its rows, and nobody else's does", async () => {
    await workspace.run('lane', 'close', lane);
    const body = { sql: `SELECT count(*) AS requests FROM requests WHERE lane = '${lane}'` };
    const asked = async (agent: string) =>
      (await asAgent(workspace, agent).call('POST /v1/telemetry/query', { body })).rows;
    expect(await asked('coder')).toEqual([{ requests: 2 * sent.lane }]);
    expect(await asked('rival')).toEqual([{ requests: 0 }]);
  });
});
