import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { proveReach } from '../../../src/lanes/index.ts';
import { Service } from '../../../src/preload/service.fixture.ts';
import { Scene } from '../../../src/router/scene.fixture.ts';
import { until } from '../../harness/until.ts';

const program = fileURLToPath(new URL('./service.cjs', import.meta.url));
const traceSecret = 'cd'.repeat(32);
const key = 'lane-m';
const candidate = 'last/lane-m/1';

/** What became of the requests that used one pattern. */
export interface Row {
  readonly pattern: string;
  readonly keyed: number;
  /** Keyed requests that came to the candidate. */
  readonly keyedAtCandidate: number;
  readonly unkeyed: number;
  /** Unkeyed requests that came to the candidate. */
  readonly unkeyedAtCandidate: number;
  /** Unkeyed requests whose answer contains an answer of the candidate. */
  readonly unkeyedAnswers: number;
  /** Requests that got no good answer, with the first reason. */
  readonly failed: number;
  readonly failure: string | null;
  /** Whether reach says that all keyed requests came to the candidate. */
  readonly proven: boolean;
  readonly reason: string | null;
  readonly losses: readonly string[];
}

export interface MatrixOptions {
  readonly patterns: readonly string[];
  /** Requests of each kind for each pattern. */
  readonly requests: number;
  /** The directory whose packages the services load. */
  readonly packages?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly onRow?: (row: Row) => void;
}

interface Answer {
  readonly id: string;
  readonly isKeyed: boolean;
  readonly status: number;
  readonly text: string;
}

/**
 * Three services in a row, of which a lane changes the last one, under keyed and unkeyed requests at
 * the same time. The first two call the next one by the pattern.
 */
export async function runMatrix(options: MatrixOptions): Promise<Row[]> {
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
        ...(options.packages ? { PACKAGES: options.packages } : {}),
      },
    });
  await using last = await start('last', 'baseline');
  await using changed = await start('last', 'lane-m');
  await using middle = await start('middle', 'baseline', last);
  await using first = await start('first', 'baseline', middle);
  const services = { first, middle, last };
  const table = (lanes: object) => ({
    ingress: 'first',
    traceSecret,
    services: Object.fromEntries(
      Object.entries(services).map(([name, { port }]) => [name, { port }]),
    ),
    lanes: lanes as never,
  });
  const overrides = { last: { port: changed.port, instance: candidate } };
  const rows: Row[] = [];
  for (const [index, pattern] of options.patterns.entries()) {
    const laneKey = `${key}${index}`;
    const trace = (index + 1).toString(16).padStart(8, '0');
    await scene.router.setTable(table({ [laneKey]: { lane: `lane_${index}`, trace, overrides } }));
    const ask = async (id: string, isKeyed: boolean): Promise<Answer> => {
      const path = `/${encodeURIComponent(pattern)}/${id}/${isKeyed ? 'keyed' : 'plain'}`;
      const address = `http://127.0.0.1:${isKeyed ? scene.port : first.port}${path}`;
      const headers = isKeyed ? { baggage: `surety-lane=${laneKey}` } : {};
      try {
        const signal = AbortSignal.timeout(10_000);
        const response = await fetch(address, { headers, signal });
        return { id, isKeyed, status: response.status, text: await response.text() };
      } catch (error) {
        return { id, isKeyed, status: 0, text: String(error) };
      }
    };
    const mixed = Array.from({ length: options.requests * 2 }, (_, number) =>
      ask(String(number), number % 2 === 0),
    );
    const answers = await Promise.all(mixed);
    await quiet([last, changed]);
    const took = await Promise.all([last, changed].map(takeServed));
    // The lane is closed: nobody may notice.
    await scene.router.setTable(table({}));
    const after = await Promise.all(
      Array.from({ length: options.requests }, (_, number) => ask(`after${number}`, false)),
    );
    await quiet([last, changed]);
    const tookAfter = await Promise.all([last, changed].map(takeServed));
    const { hops } = await scene.router.hops(laneKey);
    const reach = proveReach({ candidates: [{ service: 'last', instance: candidate }] }, hops, {
      services: {
        first: { dependsOn: ['middle'] },
        middle: { dependsOn: ['last'] },
        last: { dependsOn: [] },
      },
    });
    await scene.router.forget(laneKey);
    const atCandidate = [...(took[1] ?? []), ...(tookAfter[1] ?? [])];
    const all = [...answers, ...after];
    const bad = all.filter(({ status }) => status !== 200);
    const row: Row = {
      pattern,
      keyed: options.requests,
      keyedAtCandidate: new Set(
        atCandidate.filter(({ truth }) => truth === 'keyed').map(({ id }) => id),
      ).size,
      unkeyed: options.requests * 2,
      unkeyedAtCandidate: atCandidate.filter(({ truth }) => truth === 'plain').length,
      unkeyedAnswers: all.filter(({ isKeyed, text }) => !isKeyed && text.includes(candidate))
        .length,
      failed: bad.length,
      failure: bad[0]
        ? `${bad[0].isKeyed ? 'keyed' : 'plain'} ${bad[0].status} ${bad[0].text.slice(0, 200)}`
        : null,
      proven: reach.proven,
      reason: reach.reason,
      losses: [...new Set(reach.lost.map(({ how, by, to }) => `${how} ${by}→${to}`))],
    };
    rows.push(row);
    options.onRow?.(row);
  }
  return rows;
}

interface Came {
  readonly id: string;
  readonly truth: string;
}

async function takeServed(service: Service): Promise<Came[]> {
  return (await (await service.ask('/served')).json()) as Came[];
}

/** Some patterns call after the answer. */
async function quiet(_: readonly Service[]): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 40));
}

async function openSink(): Promise<AsyncDisposable & { address: string }> {
  const server = createServer((request, response) => {
    request.resume();
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
void until;
