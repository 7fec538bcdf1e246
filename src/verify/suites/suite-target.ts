import type { Confinement } from '../../confinement/index.ts';
import type { Actor } from '../../kernel/index.ts';
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
import { runner } from '../pipeline/lane-pair.ts';
import type { SuiteTarget } from './run-suite.ts';
import { openSecretServer, type SecretServer } from './secret-server.ts';
import { type CapturesDeps, openCaptures } from './suite-captures.ts';

export interface TargetContext extends LogsContext {
  readonly routes: Routes;
  readonly confinement: Confinement;
  readonly signal?: AbortSignal;
  /** Knows where the lane's data is; without it suites get no addresses. */
  readonly lanes?: Pick<Lanes, 'storeAddresses'>;
  /** Without it suites capture nothing. */
  readonly captures?: CapturesDeps;
}

/**
 * The lane's key travels in W3C baggage, from the suite through every service. The actor is the one
 * whose policy decides what the suite may capture.
 */
export async function targetOf(
  lane: Lane,
  tree: VersionTree,
  context: TargetContext,
  actor: Actor = runner,
): Promise<SuiteTarget> {
  const { captures } = context;
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
    ...(captures
      ? {
          openCaptures: (suite) =>
            openCaptures({ lane, version: tree.commit, actor, suite }, captures),
        }
      : {}),
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

/** Where a suite reads what the services of its lane logged about one request, as JSON lines. */
export function openLogs(lane: Pick<Lane, 'candidates'>, deps: LogsContext): Promise<SecretServer> {
  return openSecretServer(async ({ query }) => {
    const about = query.get('about') ?? '';
    if (about.length < laneLimits.requestIdCharsMin) {
      const text = `about must have at least ${laneLimits.requestIdCharsMin} characters\n`;
      return { status: 400, text };
    }
    const lines = await findLines(lane, about, deps);
    return { status: 200, text: lines.map((line) => `${JSON.stringify(line)}\n`).join('') };
  });
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
