import { fault } from '../kernel/index.ts';
import type { Config, ServiceConfig } from '../system/index.ts';
import type { PreparedChange } from './change.ts';
import type { DataMode } from './data/index.ts';
import type { Candidate, Lane } from './lane.ts';

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
}

export interface PlannedStart {
  readonly service: string;
  readonly config: ServiceConfig;
  readonly version: Candidate['version'];
}

/** Only what the change touches; with `isolated` also who calls it and whom it calls. */
export function plannedStarts(
  config: Config,
  prepared: PreparedChange | null,
  { copies, isolated }: { copies: readonly string[]; isolated: boolean },
): PlannedStart[] {
  const changed = prepared?.change.services ?? [];
  const after = prepared?.config ?? config;
  for (const service of changed) checkThere(config, service);
  const beside = isolated ? neighbours(after, [...changed, ...copies]) : [];
  const starts = new Map<string, PlannedStart>();
  for (const service of [...beside, ...copies])
    starts.set(service, planned(after, service, 'copy'));
  for (const service of changed) starts.set(service, planned(after, service, 'changed'));
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
    ([, { isElsewhere, lane }]) => !isElsewhere || lane.command !== undefined,
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
  const command = config.command ?? config.lane.command;
  if (command !== undefined) return { service, version, config: { ...config, command } };
  throw fault('SERVICE_ELSEWHERE', { service, address: `${config.host}:${config.port}` });
}
