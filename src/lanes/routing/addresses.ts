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
  return Object.entries(services)
    .filter(([name, config]) => name !== service && mentions(environment, name, config))
    .map(([name]) => name);
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

/** PRICING_HOST and PRICING_PORT, as many programs have it. */
function splitAddress(
  environment: Readonly<Record<string, string>>,
  config: ServiceConfig,
  { name, door }: { readonly name: string; readonly door: number },
): Record<string, string> {
  const names = namesOf(name, config);
  const pairs = Object.entries(environment).flatMap(([variable, host]) => {
    const portVariable = variable.replace(/HOST$/, 'PORT');
    const port = environment[portVariable];
    if (portVariable === variable || port === undefined) return [];
    const isMeant = names.some((alias) => alias === `${host}:*` || alias === `${host}:${port}`);
    return isMeant
      ? [
          [variable, '127.0.0.1'],
          [portVariable, String(door)],
        ]
      : [];
  });
  return Object.fromEntries(pairs);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
