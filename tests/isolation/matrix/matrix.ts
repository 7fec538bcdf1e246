import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { proveReach } from '../../../src/lanes/index.ts';
import { Service } from '../../../src/preload/service.fixture.ts';
import type { RouteTable } from '../../../src/router/index.ts';
import { Scene } from '../../../src/router/scene.fixture.ts';

const program = fileURLToPath(new URL('./service.cjs', import.meta.url));
const traceSecret = 'cd'.repeat(32);
const candidate = 'last/lane/1';

/** What became of the requests that used one pattern. */
export interface MatrixRow {
  readonly pattern: string;
  readonly keyed: number;
  /** Keyed requests that came to the candidate. */
  readonly keyedAtCandidate: number;
  readonly unkeyed: number;
  /** Unkeyed requests that came to the candidate. */
  readonly unkeyedAtCandidate: number;
  /** Unkeyed requests that got an answer of the candidate, as from a cache. */
  readonly candidateAnswers: number;
  /** Why requests got no good answer. */
  readonly failures: readonly string[];
  /** What reach says. */
  readonly isProven: boolean;
  readonly reason: string | null;
  readonly losses: readonly string[];
}

export interface MatrixOptions {
  readonly patterns: readonly string[];
  /** Keyed requests for each pattern; there are as many unkeyed ones, and again after the lane. */
  readonly requests: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly onRow?: (row: MatrixRow) => void;
}

/**
 * Three services in a row, of which a lane changes the last one, under keyed and unkeyed requests
 * at the same time. The first two call the next one by the pattern.
 */
export async function runMatrix(options: MatrixOptions): Promise<MatrixRow[]> {
  await using scene = await Scene.open();
  await using telemetry = await openSink();
  const common = { router: `127.0.0.1:${scene.port}`, traceSecret, telemetry: telemetry.address };
  const start = (service: string, version: string, next?: Service): Promise<Service> =>
    Service.start({
      file: program,
      tag: { ...common, service, instance: `${service}/${version}/1` },
      environment: {
        ...options.environment,
        ...(next ? { NEXT_PORT: String(next.port) } : {}),
      },
    });
  await using last = await start('last', 'baseline');
  await using changed = await start('last', 'lane');
  await using middle = await start('middle', 'baseline', last);
  await using first = await start('first', 'baseline', middle);
  const system = { scene, first, middle, last, changed };
  const rows: MatrixRow[] = [];
  for (const [index, pattern] of options.patterns.entries()) {
    const row = await runPattern(pattern, { ...system, index, requests: options.requests });
    rows.push(row);
    options.onRow?.(row);
  }
  return rows;
}

interface MatrixSystem {
  readonly scene: Scene;
  readonly first: Service;
  readonly middle: Service;
  readonly last: Service;
  readonly changed: Service;
  /** Counts the lanes, each of which has one pattern. */
  readonly index: number;
  readonly requests: number;
}

async function runPattern(pattern: string, system: MatrixSystem): Promise<MatrixRow> {
  const { scene, changed, index, requests } = system;
  const key = `lane-${index}`;
  const overrides = { last: { port: changed.port, instance: candidate } };
  const trace = (index + 1).toString(16).padStart(8, '0');
  await scene.router.setTable(
    tableOf(system, { [key]: { lane: `lane_${index}`, trace, overrides } }),
  );
  const ask = (id: number | string, isKeyed: boolean): Promise<Answer> =>
    send(pattern, { id: String(id), key: isKeyed ? key : null }, system);
  const mixed = await Promise.all(
    Array.from({ length: requests * 2 }, (_, number) => ask(number, number % 2 === 0)),
  );
  // The lane is closed: nobody may notice.
  await scene.router.setTable(tableOf(system, {}));
  const after = await Promise.all(
    Array.from({ length: requests }, (_, number) => ask(`after-${number}`, false)),
  );
  const row = await settle(pattern, { answers: [...mixed, ...after], key }, system);
  await scene.router.forget(key);
  return row;
}

const looksMax = 60;

/** Nobody waits for reports, and some patterns call after they have answered. */
async function settle(pattern: string, run: PatternRun, system: MatrixSystem): Promise<MatrixRow> {
  const visits: Visit[] = [];
  for (let looks = 1; ; looks++) {
    visits.push(...(await takeVisits(system.changed)));
    const row = await describe(pattern, { ...run, visits }, system);
    if (problemsOf(row).length === 0 || looks === looksMax) return row;
    await delay(50);
  }
}

/** What must not happen, whatever the pattern. */
export function problemsOf(row: MatrixRow): string[] {
  const { pattern, keyed, keyedAtCandidate, unkeyedAtCandidate, candidateAnswers } = row;
  const isLost = keyedAtCandidate < keyed;
  const isAnswerReported = row.losses.some((loss) => loss.startsWith('answer'));
  return [
    ...row.failures,
    ...(unkeyedAtCandidate > 0 ? [`${unkeyedAtCandidate} unkeyed requests at the candidate`] : []),
    ...(isLost && row.losses.length === 0 ? ['a loss is not reported'] : []),
    ...(isLost && row.isProven ? ['reach is proven, and not all requests were reached'] : []),
    ...(candidateAnswers > 0 && !isAnswerReported ? ['a shared answer is not reported'] : []),
  ].map((problem) => `${pattern}: ${problem}`);
}

interface PatternRun {
  readonly answers: readonly Answer[];
  readonly key: string;
}

function tableOf(
  { first, middle, last }: MatrixSystem,
  lanes: NonNullable<RouteTable['lanes']>,
): RouteTable {
  const services = {
    first: { port: first.port },
    middle: { port: middle.port },
    last: { port: last.port },
  };
  return { ingress: 'first', traceSecret, services, lanes };
}

const dependencies = {
  first: { dependsOn: ['middle'] },
  middle: { dependsOn: ['last'] },
  last: { dependsOn: [] },
};

async function describe(
  pattern: string,
  { answers, key, visits }: PatternRun & { readonly visits: readonly Visit[] },
  { scene, requests }: MatrixSystem,
): Promise<MatrixRow> {
  const { hops } = await scene.router.hops(key);
  const candidates = [{ service: 'last', instance: candidate }];
  const reach = proveReach({ candidates }, hops, { services: dependencies });
  const keyedVisits = visits.filter(({ truth }) => truth === 'keyed').map(({ id }) => id);
  return {
    pattern,
    keyed: requests,
    keyedAtCandidate: new Set(keyedVisits).size,
    unkeyed: requests * 2,
    unkeyedAtCandidate: visits.length - keyedVisits.length,
    candidateAnswers: answers.filter(({ isKeyed, text }) => !isKeyed && text.includes(candidate))
      .length,
    failures: answers.filter(({ status }) => status !== 200).map(describeFailure),
    isProven: reach.proven,
    reason: reach.reason,
    losses: [...new Set(reach.lost.map(({ how, by }) => `${how} by ${by}`))],
  };
}

function describeFailure({ isKeyed, status, text }: Answer): string {
  return `${isKeyed ? 'keyed' : 'unkeyed'}: ${status} ${text.slice(0, 500)}`;
}

interface Answer {
  readonly isKeyed: boolean;
  readonly status: number;
  readonly text: string;
}

const answerMsMax = 60_000;

async function send(
  pattern: string,
  { id, key }: { id: string; key: string | null },
  { scene, first }: MatrixSystem,
): Promise<Answer> {
  const isKeyed = key !== null;
  const port = isKeyed ? scene.port : first.port;
  const headers = {
    'x-id': id,
    'x-truth': isKeyed ? 'keyed' : 'plain',
    ...(isKeyed ? { baggage: `surety-lane=${key}` } : {}),
  };
  try {
    const address = `http://127.0.0.1:${port}/${encodeURIComponent(pattern)}`;
    const response = await fetch(address, { headers, signal: AbortSignal.timeout(answerMsMax) });
    return { isKeyed, status: response.status, text: await response.text() };
  } catch (error) {
    return { isKeyed, status: 0, text: String(error) };
  }
}

interface Visit {
  readonly id: string;
  readonly truth: string;
}

async function takeVisits(service: Service): Promise<Visit[]> {
  return (await (await service.ask('/visits')).json()) as Visit[];
}

/** Takes what services report to telemetry, which is about traces here and not about reports. */
async function openSink(): Promise<AsyncDisposable & { readonly address: string }> {
  const server = createServer((request, response) => {
    request.resume();
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
