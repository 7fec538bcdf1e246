import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Confinement } from '../../confinement/index.ts';
import { systemRandom } from '../../kernel/index.ts';
import {
  type Host,
  type Lane,
  type Lanes,
  type Routes,
  secretVariables,
  type VersionTree,
} from '../../lanes/index.ts';
import { laneLimits } from '../../lanes/limits.ts';
import type { Config } from '../../system/index.ts';
import type { ServiceLogLine } from '../compare/index.ts';
import { laneLogs } from '../observe/lane-logs.ts';
import type { SuiteTarget } from './run-suite.ts';

export interface TargetContext extends LogsContext {
  readonly routes: Routes;
  readonly confinement: Confinement;
  readonly signal?: AbortSignal;
  /** Knows where the lane's data is; without it suites get no addresses. */
  readonly lanes?: Pick<Lanes, 'storeAddresses'>;
}

/** The lane's key travels in W3C baggage, from the suite through every service. */
export async function targetOf(
  lane: Lane,
  tree: VersionTree,
  context: TargetContext,
): Promise<SuiteTarget> {
  return {
    baseUrl: await context.routes.address(),
    tree,
    confinement: context.confinement,
    headers: { baggage: `surety-lane=${lane.lane}` },
    lane: lane.lane,
    withheld: secretVariables(context.config),
    stores: (names) => context.lanes?.storeAddresses(lane, names) ?? {},
    ...(context.signal ? { signal: context.signal } : {}),
    openLogs: () => openLogs(lane, context),
  };
}

/** The baseline as an ordinary client sees it, without a lane and its key. */
export async function plainTarget(tree: VersionTree, context: TargetContext): Promise<SuiteTarget> {
  const { config, routes, lanes } = context;
  const nothing: Pick<Lane, 'candidates' | 'data'> = { candidates: [], data: [] };
  return {
    baseUrl: ingressUrl(config) ?? (await routes.address()),
    tree,
    confinement: context.confinement,
    headers: {},
    withheld: secretVariables(config),
    stores: (names) => lanes?.storeAddresses(nothing, names) ?? {},
    ...(context.signal ? { signal: context.signal } : {}),
    openLogs: () => openLogs(nothing, context),
  };
}

/** Undefined where the ingress speaks what a suite does not: the router translates. */
function ingressUrl({ ingress, services }: TargetContext['config']): string | undefined {
  const entry = ingress === undefined ? undefined : services[ingress];
  return entry?.protocol === 'http' ? `http://${entry.host}:${entry.port}` : undefined;
}

interface LogsContext {
  readonly host: Pick<Host, 'readLog'>;
  readonly config: Pick<Config, 'services'> &
    Partial<Pick<Config, 'overlays' | 'traffic' | 'ingress'>>;
}

/**
 * An address at which a suite reads what the services of its lane logged about one request, as JSON
 * lines. It can't be guessed, and ends with the suite.
 */
export async function openLogs(
  lane: Pick<Lane, 'candidates'>,
  deps: LogsContext,
): Promise<{ address: string; close(): Promise<void> }> {
  const secret = Buffer.from(systemRandom(16)).toString('hex');
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const about = url.searchParams.get('about') ?? '';
    if (url.pathname !== `/${secret}`) return void response.writeHead(404).end();
    if (about.length < laneLimits.requestIdCharsMin) {
      const reason = `about must have at least ${laneLimits.requestIdCharsMin} characters\n`;
      return void response.writeHead(400).end(reason);
    }
    void findLines(lane, about, deps).then(
      (lines) => response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
      () => response.writeHead(500).end('the logs could not be read\n'),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/${secret}`, close: () => closeServer(server) };
}

async function findLines(
  lane: Pick<Lane, 'candidates'>,
  about: string,
  { host, config }: LogsContext,
): Promise<ServiceLogLine[]> {
  const logs = laneLogs(lane, Object.keys(config.services), lane);
  const found = logs.map(async ({ service, log }) => {
    const { lines } = await host.readLog(log, { lines: laneLimits.laneLogLinesMax });
    return lines.filter((line) => line.includes(about)).map((text) => ({ service, text }));
  });
  return (await Promise.all(found)).flat();
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
