import type { Server } from 'node:http';
import { type Gate, recordAttempt } from '../gate/index.ts';
import {
  createApi,
  createInsideClient,
  createPerform,
  type Handlers,
  type OnForbidden,
  RateLimiter,
} from '../http/api.ts';
import { type AlertNotice, AlertWatch, hearAlerts, SloWatch } from '../investigate/index.ts';
import {
  type Actor,
  type Clock,
  createClock,
  createIdentifiers,
  type Identity,
  type Log,
  lazy,
  lockDirectory,
  readVersion,
  systemRandom,
} from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { OwnEndpointDeps } from '../mcp/endpoint.ts';
import type { Gateway } from '../mcp/gateway/index.ts';
import { createModelRelay } from '../models/index.ts';
import type { Config } from '../system/index.ts';
import { noticeConfiguration } from './compose/configuration-watch.ts';
import { createFeatures, type Features } from './compose/features.ts';
import { openWorkspaceGate, type WorkspaceGate } from './compose/gate.ts';
import { watchGate } from './compose/gate-watch.ts';
import { ProbeDesk } from './compose/probe-desk.ts';
import { createProbeTell } from './compose/probe-rows.ts';
import { openWorkspaceLedger, shown } from './compose/workspace-ledger.ts';
import { createHandlers } from './handlers/handlers.ts';
import { Identities } from './identities.ts';
import { closeServer, listen } from './listen.ts';
import { loadConfig } from './load-config.ts';
import { readModelKey } from './model-key.ts';
import type { WorkspacePlace } from './place.ts';
import { watchKeeper } from './processes/keeper-watch.ts';
import { openExecutor, removeDaemonFile, writeDaemonFile } from './state-files.ts';
import { createTelemetryDesk } from './telemetry/telemetry-desk.ts';
import { McpTools } from './tools/mcp-gateway.ts';

export interface Daemon {
  readonly port: number;
  stop(): Promise<void>;
}

/** Locks the directory, opens the ledger, settles calls that a crash left open, then serves. */
export async function startDaemon(place: WorkspacePlace, log: Log): Promise<Daemon> {
  const lock = lockDirectory(place.state, 'daemon');
  try {
    const config = loadConfig(place);
    const clock = createClock();
    const ledger = await openWorkspaceLedger(place, config, clock, log);
    const executor = openExecutor(place);
    const makeIdentifier = createIdentifiers(clock, systemRandom);
    const known = { place, config, clock, makeIdentifier, log };
    const identities = new Identities(known);
    const limiter = new RateLimiter(requestsPerMinuteBy(config), () => clock.now());
    const common = { ...known, ledger, executor, identities, limiter };
    const mcpTools = await McpTools.load(ledger, config);
    const workspace = await openWorkspaceGate({
      ...common,
      ...mcpTools.forGate,
      onAdopted: (policy) => identities.allow([...policy.agents.keys()]),
    });
    const [startedAt, version] = [clock.now(), readVersion()];
    await recordStart({ executor, version, node: process.version }, place, config, ledger);

    const keeper = watchKeeper(place.state, log);
    const features = await createFeatures({ ...common, ...workspace, keeper });
    const chores = startChores(features, workspace, common);
    const leaving = new AbortController();
    const probes = new ProbeDesk({ ...features, place, tell: createProbeTell(place.state) });
    const desks = { probes, telemetry: createTelemetryDesk(common) };
    const { policyFile, interrupted } = workspace;
    const handlers = createHandlers({
      ...{ ...features, ...common, ...desks, keeper, policyFile, mcpTools },
      ...{ version, startedAt, interrupted, leaving: leaving.signal },
    });
    const gateway = await mcpTools.open({ ...common, ...workspace, version });
    const api = openApi({ handlers, gateway, gate: workspace.gate, ...common });
    const { port, socket, servers } = await listen(api, config, place);
    writeDaemonFile(place, { pid: process.pid, port, socket, startedAt });
    log('info', 'daemon-started', { port, pid: process.pid, interrupted });

    const stop = async (): Promise<void> => {
      removeDaemonFile(place);
      leaving.abort();
      clearInterval(chores);
      keeper.stop();
      await Promise.all([gateway?.close(), desks.probes.close()]);
      await endServing(servers, workspace, common);
      lock.release();
      log('info', 'daemon-stopped', {});
    };
    return { port, stop };
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface ServedDeps extends ApiDeps {
  readonly handlers: Handlers;
  readonly gateway: Gateway | undefined;
  readonly gate: Gate;
  readonly identities: Identities;
  readonly place: WorkspacePlace;
}

function openApi(deps: ServedDeps): ReturnType<typeof createApi> {
  const { handlers, gateway, gate, identities, ledger, log, config, clock, limiter, place } = deps;
  const onForbidden: OnForbidden = ({ actor }, operation, refused) =>
    gate.recordForbidden(actor, operation, refused);
  const perform = createPerform({
    handlers,
    onForbidden,
    onUnreadable: async ({ actor }, operation, error) =>
      void (await recordAttempt(ledger, actor, operation, error)),
  });
  const own = lateEndpoint({
    version: readVersion(),
    now: () => clock.now(),
    log,
    connect: (caller) => createInsideClient(perform, caller),
  });
  return createApi({
    perform,
    onForbidden,
    mcp: [
      ...(gateway ? [{ path: '/mcp', title: 'Surety gateway', handle: gateway.handle }] : []),
      { path: '/mcp/surety', title: 'Surety', handle: own },
    ],
    models: createModelRelay({
      ...{ act: gate.act, ledger, providers: config.models },
      keyOf: (provider) => readModelKey(provider, place),
    }),
    identify: (token, surface) => identities.find(token, surface),
    tokenOf: (hash) => identities.tokenOf(hash),
    waitMs: (agent) => limiter.take(agent),
    requestsPerMinute: requestsPerMinuteBy(config),
    log,
  });
}

interface ApiDeps {
  readonly limiter: RateLimiter;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly config: Config;
  readonly clock: Clock;
}

function requestsPerMinuteBy({ api }: Config): (agent: string) => number {
  const single = new Map(Object.entries(api.requestsPerMinuteOf));
  return (agent) => single.get(agent.slice('agent:'.length)) ?? api.requestsPerMinute;
}

const choresEveryMs = 1_000;

/** Periodic work: lanes whose time is over, metrics that rise. */
function startChores(
  features: Features,
  { gate, policyFile }: WorkspaceGate,
  { config, log, clock, identities }: ApiDeps & { readonly identities: Identities },
): NodeJS.Timeout {
  const { lanes, feedTelemetry, telemetryProcess, promotionWatch, recorder } = features;
  const hear = (actor: Actor, notices: readonly AlertNotice[]) =>
    hearAlerts(actor, notices, features.hearing);
  const alerts = new AlertWatch({ config, clock, hear });
  const slos = new SloWatch({ ...features.investigations, config, hear });
  const report = (error: unknown): void => log('warn', 'chore-failed', shown(error));
  const lookAfterGate = watchGate(gate, report);
  const work = (): void => {
    lanes.reap().catch(report);
    telemetryProcess.look().catch(() => undefined);
    promotionWatch.look().catch(report);
    alerts.look().catch(report);
    slos.look().catch(report);
    recorder.look().catch(report);
    feedTelemetry().catch(report);
    policyFile.look().catch(report);
    lookAfterGate().catch(report);
    identities.look(clock.now());
  };
  return setInterval(work, choresEveryMs).unref();
}

/** Requests in progress are answered first; an unreachable store must not delay the exit. */
async function endServing(
  servers: readonly Server[],
  { outcomes }: WorkspaceGate,
  { ledger, log }: ApiDeps,
): Promise<void> {
  await Promise.all(servers.map(closeServer));
  try {
    await ledger.append(lifeEntry('daemon-stopped', {}));
  } catch (error) {
    log('warn', 'stop-not-recorded', shown(error));
  }
  await ledger.close();
  outcomes.removeIfUnused();
}

async function recordStart(
  facts: Record<string, string>,
  place: WorkspacePlace,
  config: Config,
  ledger: Ledger,
): Promise<void> {
  await ledger.append(lifeEntry('daemon-started', facts));
  await noticeConfiguration(place, config, ledger);
}

function lifeEntry(kind: string, body: Record<string, string>): Parameters<Ledger['append']>[0] {
  return { kind, actor: 'surety:daemon', body: { ...body, pid: process.pid } };
}

/** Surety's own tools over HTTP; the MCP code is loaded with the first request. */
function lateEndpoint(
  deps: OwnEndpointDeps,
): (request: Request, caller: Identity) => Promise<Response> {
  const endpoint = lazy(async () => {
    const { createOwnEndpoint } = await import('../mcp/endpoint.ts');
    return createOwnEndpoint(deps);
  });
  return async (request, caller) => (await endpoint())(request, caller);
}
