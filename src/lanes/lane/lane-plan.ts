import { fault } from '../../kernel/index.ts';
import { type Config, type ServiceConfig, withOverlay } from '../../system/index.ts';
import type { Candidate, Lane } from '../api-schema.ts';
import type { PreparedChange } from '../change/change.ts';
import type { DataMode } from '../data/index.ts';
import type { WatchedLines } from '../line-coverage/coverage-files.ts';
import { type CallerCopy, callsOf } from './callers.ts';
import { laneCommand } from './lane-command.ts';

/** What is to be opened, once it is clear that it can be. */
export interface LanePlan {
  readonly lane: string;
  readonly base: string;
  readonly prepared: PreparedChange | null;
  readonly starts: readonly PlannedStart[];
  readonly on: Lane | null;
  readonly controlOf: string | null;
  readonly ttlMs: number;
  readonly transient: boolean;
  readonly modes: Readonly<Record<string, DataMode>>;
  /** Where its requests enter, when that is not where all others do. */
  readonly ingress: string | null;
  /** The lines of which its candidates record whether they run. */
  readonly watched: WatchedLines | null;
}

export interface PlannedStart {
  readonly service: string;
  readonly config: ServiceConfig;
  readonly version: Candidate['version'];
  /** Why a caller is copied. */
  readonly why?: string;
  /** Services of the lane that have to be there before it starts, since it calls them. */
  readonly after?: readonly string[];
}

export interface StartRequest {
  /** Services of which it gets a copy, as they are in its base. */
  readonly copies: readonly string[];
  /** Unchanged services on the way to the change, nearest to it first. */
  readonly callers?: readonly CallerCopy[];
  /** How the base describes the system, which is how callers run. */
  readonly before?: Config;
  readonly isolated: boolean;
  /** How its version describes the system. */
  readonly after: Config;
  /** The overlay that a service of the baseline runs with, if with one. */
  readonly overlayOf: (service: string) => string | null;
}

/** Only the services that the change touches; with `isolated` also their callers and callees. */
export function plannedStarts(
  config: Config,
  prepared: PreparedChange | null,
  { copies, isolated, after, overlayOf, callers = [], before = after }: StartRequest,
): PlannedStart[] {
  const changed = prepared?.change.services ?? [];
  for (const service of changed) checkThere(config, service);
  const beside = isolated ? neighbours(after, [...changed, ...copies]) : [];
  const starts = new Map<string, PlannedStart>();
  // It is compared with the baseline, so it runs in the same of the ways that surety.yaml knows.
  const add = (service: string, version: Candidate['version']): unknown =>
    starts.set(service, planned(withOverlay(after, overlayOf(service)), service, version));
  for (const service of [...beside, ...copies]) add(service, 'copy');
  for (const service of changed) add(service, 'changed');
  const calls = callsOf(before);
  for (const { service, why } of callers) {
    if (starts.has(service)) continue;
    const start = planned(withOverlay(before, overlayOf(service)), service, 'caller');
    // It may ask at its start what the changed service answers: then that has to be there.
    const after = calls(service).filter((name) => starts.has(name));
    starts.set(service, { ...start, why, after });
  }
  return [...starts.values()];
}

/** Nobody could route to it: requests know where services are by what runs now. */
function checkThere({ services }: Config, service: string): void {
  if (Object.hasOwn(services, service)) return;
  const reason = `it adds the service ${service}, and a lane has only services that run already`;
  throw fault('CHANGE_INVALID', { reason });
}

/** What runs elsewhere is shared as it is: there is nothing here that could start a copy of it. */
function neighbours({ services }: Config, of: readonly string[]): string[] {
  const calls = (from: string, to: string): boolean =>
    services[from]?.dependsOn.includes(to) ?? false;
  const startable = Object.entries(services).filter(
    ([, { isElsewhere, lane }]) => !isElsewhere || laneCommand(lane) !== undefined,
  );
  return startable
    .map(([name]) => name)
    .filter((name) => of.some((one) => calls(name, one) || calls(one, name)));
}

function planned(
  { services }: Config,
  service: string,
  version: Candidate['version'],
): PlannedStart {
  const config = Object.hasOwn(services, service) ? services[service] : undefined;
  if (!config) {
    const known = Object.keys(services).join(', ') || 'none';
    throw fault('SERVICE_UNKNOWN', { service, known });
  }
  const command = config.command ?? laneCommand(config.lane);
  if (command !== undefined) return { service, version, config: { ...config, command } };
  throw fault('SERVICE_ELSEWHERE', { service, address: `${config.host}:${config.port}` });
}
