import { readFileSync } from 'node:fs';
import { tryOr } from '../../kernel/index.ts';
import type { Lane } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { ScrapeTarget, SystemNamesUpdate } from '../../telemetry/index.ts';

export interface NamesDeps {
  readonly config: Config;
  /** The doors of the router, with their ports. */
  readonly doorsFile: string;
  readonly lanes: readonly Lane[];
}

export function systemNames({ config, doorsFile, lanes }: NamesDeps): SystemNamesUpdate {
  const entries = [
    ...Object.entries(config.services).flatMap(([name, service]) => addressesOf(name, service)),
    ...lanes.flatMap(({ candidates }) =>
      candidates.flatMap(({ service, port }) => onThisMachine(port, service)),
    ),
    ...Object.entries(readDoors(doorsFile)).flatMap(([pair, port]) =>
      onThisMachine(port, pair.split(' ')[1] ?? ''),
    ),
  ];
  return { peers: Object.fromEntries(entries), lanes: lanes.map(({ lane }) => lane) };
}

type Service = Config['services'][string];

function addressesOf(name: string, { host, port, aliases }: Service): [string, string][] {
  const named = [name, ...aliases].flatMap((alias): [string, string][] => {
    const [plain = '', own] = alias.split(':');
    const ports = own === undefined || own === '*' ? [port, 80] : [Number(own)];
    return ports.map((at) => [`${plain}:${at}`, name]);
  });
  return [...named, ...onThisMachine(port, name), [`${host}:${port}`, name]];
}

function onThisMachine(port: number, service: string): [string, string][] {
  return ['127.0.0.1', 'localhost', '[::1]', '::1'].map((host) => [`${host}:${port}`, service]);
}

/** The scrape targets: the baseline, and candidates of lanes. */
export function metricsTargets(
  { services }: Config,
  lanes: readonly Lane[],
  instances: ReadonlyMap<string, string>,
): ScrapeTarget[] {
  return Object.entries(services).flatMap(([service, { metrics, host, port, protocol }]) => {
    if (!metrics) return [];
    const { path, everyMs } = metrics;
    const scheme = protocol === 'https' ? 'https' : 'http';
    const at = (where: string, instance: string, lane: string): ScrapeTarget => ({
      service,
      instance,
      lane,
      url: `${scheme}://${where}${path}`,
      everyMs,
    });
    const own = at(`${host}:${metrics.port ?? port}`, instances.get(service) ?? service, '');
    // A metrics port other than the service's is the same for all of them, so only one can have it.
    const candidates = lanes.flatMap(({ lane, candidates: all }) =>
      metrics.port === undefined
        ? all
            .filter((one) => one.service === service)
            .map((one) => at(`127.0.0.1:${one.port}`, one.instance, lane))
        : [],
    );
    return [own, ...candidates];
  });
}

function readDoors(file: string): Record<string, number> {
  return tryOr(() => JSON.parse(readFileSync(file, 'utf8')), {});
}
