import { join } from 'node:path';
import { fault } from '../../kernel/index.ts';
import type { ServiceConfig } from '../../system/index.ts';
import type { VersionTree } from '../change/trees.ts';
import { dataPaths } from '../data/data-paths.ts';
import type { InstanceSpec } from './host.ts';

/** What is added to the environment of an instance so that keyed requests find their way. */
export type Tagging = (
  service: string,
  instance: string,
  environment: Readonly<Record<string, string>>,
  /** Router ports that are the lane's own, by the service behind them. */
  doors?: ReadonlyMap<string, number>,
) => Readonly<Record<string, string>>;

export interface InstanceRequest {
  readonly service: string;
  readonly config: ServiceConfig;
  readonly tree: VersionTree;
  /** Which run of which version this is: it tells so when it serves a keyed request. */
  readonly instance: string;
  /** Its name on the host. */
  readonly name: string;
  readonly tagging: Tagging;
  /** Another port than the configured one, to run beside the baseline. */
  readonly port?: number;
  /** Where its datastores are, and what else is known only now. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The hold that it ends with. */
  readonly hold?: string;
  /** The lane's own router ports for its calls, by the called service. */
  readonly doors?: ReadonlyMap<string, number>;
  /** What a confined instance inherits; without it, it runs as the owner with all that we have. */
  readonly confined?: Readonly<Record<string, string>>;
}

/** How to run one version of one service. */
export function instanceSpec(request: InstanceRequest): InstanceSpec {
  const { service, config, tree, instance, name, tagging } = request;
  const port = request.port ?? config.port;
  const isMoved = request.port !== undefined || config.builtInPort !== undefined;
  const environment = {
    ...inheritedEnvironment(request.confined ?? process.env),
    PORT: String(port),
    ...config.environment,
    ...request.environment,
    ...(request.port === undefined ? {} : asideFrom(config)),
  };
  return {
    name,
    service,
    command: commandOf(service, config),
    directory: join(tree.root, config.directory),
    ...(request.confined ? { confinedTo: tree, data: dataPaths(request.environment ?? {}) } : {}),
    environment: {
      ...environment,
      ...tagging(service, instance, environment, request.doors),
      ...(isMoved ? movedTo(port, config.builtInPort ?? config.port) : {}),
    },
    port,
    health: config.health,
    ...(request.hold === undefined ? {} : { hold: request.hold }),
    protocol: config.protocol,
    startMs: config.startSeconds * 1_000,
    secrets: config.secrets,
    limits: config.limits,
    ...(request.port !== undefined && config.lane.kubernetes
      ? { pod: { ...config.lane.kubernetes, port: config.port, top: tree.root } }
      : {}),
    // Candidates are not restarted: their crash is a result for the owner of the lane.
    restarts: request.port === undefined,
  };
}

/** A configured or hard-coded port is moved where the process listens. */
function movedTo(port: number, ownPort: number): Record<string, string> {
  return {
    PORT: String(port),
    SURETY_LISTEN_PORT: String(port),
    SURETY_OWN_PORT: String(ownPort),
  };
}

/** What only has an address can be called, but not run. */
function commandOf(service: string, { command, host, port }: ServiceConfig): string {
  if (command !== undefined) return command;
  throw fault('SERVICE_ELSEWHERE', { service, address: `${host}:${port}` });
}

/** A candidate must not do the baseline's work a second time. */
function asideFrom({ lane }: ServiceConfig): Record<string, string> {
  return {
    ...(lane.singletons === 'off' ? { SURETY_SINGLETONS: 'off' } : {}),
    ...lane.environment,
  };
}

function inheritedEnvironment(from: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(from).filter(([name]) => !name.startsWith('SURETY_'));
  return Object.fromEntries(entries) as Record<string, string>;
}
