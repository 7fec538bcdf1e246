import { callsByRouter, type Door, readdress, type Tagging } from '../../lanes/index.ts';
import { pythonVariables, tagEnvironment } from '../../preload/index.ts';
import type { Config } from '../../system/index.ts';
import { senderCredential, senderKey } from '../../telemetry/index.ts';
import { otelEnvironment } from '../telemetry/otel-environment.ts';

export interface TaggingDeps {
  readonly config: Config;
  /** `host:port` */
  readonly router: string;
  readonly traceSecret: string;
  readonly doors: readonly Door[];
  /** The port of telemetry, if it runs, and the secret behind the keys of those who report. */
  readonly telemetryPort?: number;
  readonly senderSecret: string;
}

/** The variables of services with our preload; other services propagate keys themselves. */
export function createTagging(deps: TaggingDeps): Tagging {
  const { config, router, traceSecret, doors } = deps;
  // A probed process opens its own inspector port, because the default port can be used only once.
  const nodeOptions = `--inspect-port=0 ${process.env.NODE_OPTIONS ?? ''}`.trimEnd();
  const { header } = config.routing;
  const hosts = hostsOf(config);
  const keys: Tagging = (service, instance, environment, own) => {
    const described = config.services[service];
    const tagging = described?.tagging;
    const isShared = described !== undefined && callsByRouter(described);
    const shared = (to: string): number | undefined =>
      doors.find((door) => door.from === service && door.to === to)?.port;
    const doorTo = (to: string): number | undefined =>
      own?.get(to) ?? (isShared ? shared(to) : directPort(to, config));
    // In a lane, also a program that passes no key on calls by ports that are the lane's own.
    if (tagging === 'baggage' || own?.size) {
      return { ...readdress(environment, config, doorTo), ...propagators(environment) };
    }
    if (tagging !== 'preload') return {};
    const tag = { service, instance, router, traceSecret, hosts, nodeOptions };
    const lane = laneOf(instance);
    // Two candidates on one port would silently serve half of each other's requests.
    const place = lane === undefined ? { reusePort: true } : { lane };
    return tagEnvironment({ ...tag, ...place, ...(header ? { header } : {}) });
  };
  const hasBuiltInPort = (service: string): boolean =>
    config.services[service]?.builtInPort !== undefined;
  return (service, instance, environment, own) => ({
    ...keys(service, instance, environment, own),
    ...reporting(service, instance, environment, deps),
    ...pythonVariables(service, environment, { isMoved: hasBuiltInPort(service) }),
  });
}

/** OpenTelemetry passes baggage on by default, but not if a service names other propagators. */
function propagators({ OTEL_PROPAGATORS: own = '' }: Readonly<Record<string, string>>) {
  if (own === '' || own === 'none' || /\bbaggage\b/.test(own)) return {};
  return { OTEL_PROPAGATORS: `${own},baggage` };
}

/** Its own port takes the place of names that only surety.yaml knows. */
function directPort(service: string, { services }: Config): number | undefined {
  const { port, protocol, isElsewhere } = services[service] ?? {};
  return isElsewhere || protocol === 'https' ? undefined : port;
}

/** Where a service reports, by our preload and by its own OpenTelemetry SDK, if any. */
function reporting(
  service: string,
  instance: string,
  environment: Readonly<Record<string, string>>,
  { config, telemetryPort, senderSecret }: TaggingDeps,
): Record<string, string> {
  if (telemetryPort === undefined) return {};
  const isTagged = config.services[service]?.tagging === 'preload';
  const preload = {
    SURETY_TELEMETRY: `127.0.0.1:${telemetryPort}`,
    SURETY_SENDER_KEY: senderKey(senderSecret, instance),
  };
  const lane = laneOf(instance);
  const credential = senderCredential(senderSecret, instance);
  return {
    ...(isTagged && config.telemetry.reports ? preload : {}),
    ...otelEnvironment(environment, { service, instance, lane, telemetryPort, credential }),
  };
}

/** Host names that programs have hard-coded for services, and the baseline address of each. */
export function hostsOf({ services }: Config): Record<string, string> {
  const entries = Object.entries(services).flatMap(([name, { aliases, host, port }]) =>
    [name, ...aliases].map((alias) => [
      alias.includes(':') ? alias : `${alias}:*`,
      `${host}:${port}`,
    ]),
  );
  return Object.fromEntries(entries);
}

/** `pricing/lane_…/run_…` is a candidate of that lane; `pricing/baseline/…` has no lane. */
function laneOf(instance: string): string | undefined {
  const [, lane] = instance.split('/');
  return lane?.startsWith('lane_') ? lane : undefined;
}
