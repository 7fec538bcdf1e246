import type { Config, ServiceConfig } from '../../system/index.ts';

/** The names that programs have built in for a service, each with a port or `*` for any. */
function builtInNames(service: string, { aliases }: ServiceConfig): string[] {
  return [`${service}:*`, ...aliases.map((name) => (name.includes(':') ? name : `${name}:*`))];
}

/** Those, and where it really is. */
function namesOf(service: string, config: ServiceConfig): string[] {
  const { host, port } = config;
  const loopback = ['127.0.0.1', 'localhost', '0.0.0.0', '[::1]'].includes(host);
  const hosts = loopback ? ['127.0.0.1', 'localhost', '0.0.0.0', '[::1]'] : [host];
  return [...builtInNames(service, config), ...hosts.map((name) => `${name}:${port}`)];
}

/** The other services that a service calls, according to its environment. */
export function calledBy(service: string, { services }: Config): string[] {
  const environment = services[service]?.environment ?? {};
  return (
    Object.entries(services)
      .filter(([name, config]) => name !== service && mentions(environment, name, config))
      // The router speaks HTTP only.
      .filter(([, { protocol }]) => protocol !== 'tcp')
      .map(([name]) => name)
  );
}

/** Whether its baseline calls others by router ports, because lanes share it. */
export function callsByRouter({ tagging, callers }: ServiceConfig): boolean {
  return tagging === 'baggage' && callers !== 'own';
}

/** A variable that names another service without its port: no router port can replace it. */
export interface BareHost {
  readonly variable: string;
  readonly service: string;
}

export function bareHosts(service: string, config: Config): BareHost[] {
  const environment = config.services[service]?.environment ?? {};
  const paired = readdress(environment, config, () => 1);
  return Object.entries(environment)
    .filter(([variable]) => paired[variable] === undefined)
    .flatMap(([variable, text]) => {
      const named = Object.entries(config.services).find(
        ([name, one]) => name !== service && builtInNames(name, one).includes(`${text}:*`),
      );
      return named && named[1].protocol !== 'tcp' ? [{ variable, service: named[0] }] : [];
    });
}

/** The variables that hold addresses of services, with `doorTo` of those in their place. */
export function readdress(
  environment: Readonly<Record<string, string>>,
  { services }: Config,
  doorTo: (service: string) => number | undefined,
): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const [name, config] of Object.entries(services)) {
    const door = doorTo(name);
    if (door === undefined) continue;
    const texts = { ...environment, ...changed };
    for (const [variable, text] of Object.entries(texts)) {
      const moved = text.replace(addressesOf(name, config), `$<before>127.0.0.1:${door}`);
      if (moved !== text) changed[variable] = plain(moved, door);
    }
    Object.assign(changed, splitAddress(texts, config, { name, door }));
  }
  return changed;
}

/** A door speaks without TLS; the router speaks it with the service. */
function plain(text: string, door: number): string {
  return text.replaceAll(`https://127.0.0.1:${door}`, `http://127.0.0.1:${door}`);
}

function mentions(
  environment: Readonly<Record<string, string>>,
  name: string,
  config: ServiceConfig,
): boolean {
  const addresses = addressesOf(name, config);
  const isWhole = Object.values(environment).some((text) => text.search(addresses) >= 0);
  return isWhole || Object.keys(splitAddress(environment, config, { name, door: 1 })).length > 0;
}

/** `host:port`, or a name that stands for it where a URL has its host. */
function addressesOf(name: string, config: ServiceConfig): RegExp {
  const forms = namesOf(name, config).map((alias) => {
    const colon = alias.lastIndexOf(':');
    const host = escaped(alias.slice(0, colon));
    const port = alias.slice(colon + 1);
    // A bare word is a host only after // or before a port; else every text would hold one.
    return port === '*' ? `(?<=//)${host}(?::\\d+)?|${host}:\\d+` : `${host}:${port}`;
  });
  return new RegExp(`(?<before>^|//|[\\s,;=@"'])(?:${forms.join('|')})(?![\\w.:-])`, 'g');
}

const hostVariable = /^(.*?)_?(?:SERVICE_?)?(?:HOST|HOSTNAME|HOST_NAME|ADDR|ADDRESS|SERVER)$/i;
const portVariable = /^(.*?)_?(?:SERVICE_?)?PORT$/i;

/** PRICING_HOST and PRICING_PORT, or PRICING_HOSTNAME and PRICING_SERVICE_PORT. */
function splitAddress(
  environment: Readonly<Record<string, string>>,
  config: ServiceConfig,
  { name, door }: { readonly name: string; readonly door: number },
): Record<string, string> {
  const names = namesOf(name, config);
  const isMeant = (host: string, port: string): boolean =>
    names.some((alias) => alias === `${host}:*` || alias === `${host}:${port}`);
  const ports = Object.entries(environment).filter(([variable]) => portVariable.test(variable));
  const pairs = Object.entries(environment).flatMap(([variable, host]) => {
    const stem = hostVariable.exec(variable)?.[1];
    const [, port] = ports.find(([one]) => portVariable.exec(one)?.[1] === stem) ?? [];
    return port !== undefined && isMeant(host, port) ? [[variable, stem as string] as const] : [];
  });
  const stems = new Set(pairs.map(([, stem]) => stem));
  const moved = ports.filter(([variable]) => stems.has(portVariable.exec(variable)?.[1] as string));
  return Object.fromEntries([
    ...pairs.map(([variable]) => [variable, '127.0.0.1']),
    ...moved.map(([variable]) => [variable, String(door)]),
  ]);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
