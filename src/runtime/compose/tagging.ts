import { type Door, readdress, type Tagging } from '../../lanes/index.ts';
import { tagEnvironment } from '../../preload/index.ts';
import type { Config } from '../../system/index.ts';
import { otelEnvironment } from '../telemetry/otel-environment.ts';

export interface TaggingDeps {
  readonly config: Config;
  /** `host:port` */
  readonly router: string;
  readonly traceSecret: string;
  readonly doors: readonly Door[];
  /** The port of telemetry, if it is there. */
  readonly telemetryPort?: number;
}

/** What services get that hand keys on by our preload; others hand them on by themselves. */
export function createTagging(deps: TaggingDeps): Tagging {
  const { config, router, traceSecret, doors } = deps;
  // Should one of them be probed, it opens a port of its own: all others want the same one.
  const nodeOptions = `--inspect-port=0 ${process.env.NODE_OPTIONS ?? ''}`.trimEnd();
  const { header } = config.routing;
  const hosts = hostsOf(config);
  const keys: Tagging = (service, instance, environment) => {
    const { tagging } = config.services[service] ?? {};
    const doorTo = (to: string): number | undefined =>
      doors.find((door) => door.from === service && door.to === to)?.port;
    if (tagging === 'baggage') return readdress(environment, config, doorTo);
    if (tagging !== 'preload') return {};
    const tag = { service, instance, router, traceSecret, hosts, nodeOptions, reusePort: true };
    const lane = laneOf(instance);
    return tagEnvironment({ ...tag, ...(header ? { header } : {}), ...(lane ? { lane } : {}) });
  };
  return (service, instance, environment) => ({
    ...keys(service, instance, environment),
    ...reporting(service, instance, environment, deps),
  });
}

/** Where a service reports: by our preload, and by any SDK of OpenTelemetry that it has itself. */
function reporting(
  service: string,
  instance: string,
  environment: Readonly<Record<string, string>>,
  { config, telemetryPort }: TaggingDeps,
): Record<string, string> {
  if (telemetryPort === undefined) return {};
  const isTagged = config.services[service]?.tagging === 'preload';
  const preload =
    isTagged && config.telemetry.reports ? { SURETY_TELEMETRY: `127.0.0.1:${telemetryPort}` } : {};
  const lane = laneOf(instance);
  return {
    ...preload,
    ...otelEnvironment(environment, { service, instance, lane, telemetryPort }),
  };
}

/** Names that programs have built in for services, and where the baseline of each is. */
export function hostsOf({ services }: Config): Record<string, string> {
  const entries = Object.entries(services).flatMap(([name, { aliases, host, port }]) =>
    [name, ...aliases].map((alias) => [
      alias.includes(':') ? alias : `${alias}:*`,
      `${host}:${port}`,
    ]),
  );
  return Object.fromEntries(entries);
}

/** `pricing/lane_…/run_…` is a candidate of that lane, `pricing/baseline/…` of none. */
function laneOf(instance: string): string | undefined {
  const [, lane] = instance.split('/');
  return lane?.startsWith('lane_') ? lane : undefined;
}
