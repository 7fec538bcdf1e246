import { type Remark, writeText } from '../../document/index.ts';
import type { Discovery } from './discover.ts';
import type { FoundStoreKind, ServiceSources } from './found.ts';
import { recipeFor } from './propagation.ts';
import { isDatastore, type UsedStore, usedStores } from './store-users.ts';
import { onThisMachine } from './stores.ts';

/** A surety.yaml, with comments that say where each thing was found and what is missing. */
export interface ConfigDraft {
  readonly text: string;
  readonly services: readonly string[];
  readonly unknown: readonly string[];
}

export function draftConfig(discovery: Discovery): ConfigDraft {
  const startable = discovery.services.filter(isStartable);
  const services = separatePorts(startable);
  const names = new Set(services.map(({ name }) => name));
  const stores = discovery.stores.flatMap((store) => usedStores(store, services));
  const ingress = ingressOf(services);
  const unknown = [
    ...discovery.unknown,
    ...discovery.services.flatMap((service) =>
      isStartable(service) ? (service.unknown ?? []) : missing(service),
    ),
    ...stores.flatMap((store) => store.unknown),
    ...(ingress === undefined && names.size > 0
      ? [`ingress: which service requests from outside come to; write ingress: ${[...names][0]}`]
      : []),
  ];
  const value = {
    ...(ingress === undefined ? {} : { ingress }),
    services: Object.fromEntries(
      services.map((service) => [service.name, written(service, names, stores)]),
    ),
    ...section('datastores', stores, isDatastore),
    ...section('queues', stores, (kind) => !isDatastore(kind)),
  };
  const remarks = remarksOf(services, stores);
  const text = writeText(value, { heading: heading(discovery, unknown), remarks });
  return { text, services: [...names], unknown };
}

function isStartable({ command, port }: ServiceSources): boolean {
  return command !== undefined && port !== undefined;
}

/** What to write, for each thing that is missing. */
function missing({ name, command, port, where, unknown = [] }: ServiceSources): string[] {
  const found = `(found in ${where.join(', ')})`;
  if (command === undefined) {
    return unknown.length > 0
      ? [...unknown]
      : [`${name}: how to start it ${found}; write services.${name}: { command: …, port: … }`];
  }
  if (port !== undefined) return [];
  const start = `"${command}" says no port ${found}`;
  return [
    `${name}: ${start}; if it listens, write services.${name}: { command: ${command}, port: … }, or find it by surety init --trial; a worker without a port is left out`,
  ];
}

function written(
  service: ServiceSources,
  names: ReadonlySet<string>,
  stores: readonly UsedStore[],
): object {
  const { name, command, directory = '.', port, health, install, build, limits = {} } = service;
  const used = stores.filter(({ users }) => users.includes(name));
  const data = used.filter(({ store }) => isDatastore(store.kind));
  return dense({
    command,
    install,
    build,
    directory: directory === '.' ? undefined : directory,
    port,
    builtInPort: builtInPortOf(service),
    protocol: service.protocol,
    health,
    tagging: service.tagging === 'baggage' ? 'baggage' : undefined,
    aliases: service.aliases?.filter((alias) => alias !== `${name}:${port}`),
    environment: environmentOf(service, stores),
    secrets: service.secrets,
    limits,
    paths: [directory],
    dependsOn: service.dependsOn?.filter((other) => names.has(other) && other !== name),
    stores: data.map((one) => one.name),
    queues: used.filter((one) => !data.includes(one)).map((queue) => queue.name),
  });
}

/** A Node program is moved from its usual port without a word; one in Python never is. */
function builtInPortOf({ builtInPort, port, tagging }: ServiceSources): number | undefined {
  return tagging !== 'baggage' && builtInPort === port ? undefined : builtInPort;
}

/** Without what Surety gives it anyway; other addresses of stores are those on this machine. */
function environmentOf(service: ServiceSources, stores: readonly UsedStore[]): object {
  const used = stores.filter(({ users }) => users.includes(service.name));
  const variables = new Set(used.map(({ variable }) => variable));
  const entries = Object.entries(service.environment ?? {})
    .filter(([variable]) => !variables.has(variable) && variable !== 'PORT')
    .map(([variable, value]) => [
      variable,
      stores.reduce((text, { store }) => onThisMachine(store, text), value),
    ]);
  return Object.fromEntries(entries);
}

/** Without what is empty: it would only be in the way of whoever reads it. */
function dense(fields: Readonly<Record<string, unknown>>): object {
  const full = Object.entries(fields).filter(([, value]) => {
    if (value === undefined) return false;
    return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
  });
  return Object.fromEntries(full);
}

function section(
  name: 'datastores' | 'queues',
  stores: readonly UsedStore[],
  isOf: (kind: FoundStoreKind) => boolean,
): object {
  const entries = stores
    .filter(({ store }) => isOf(store.kind))
    .map(({ name: key, url, variable, store }) => {
      const { kind, migrations, seeds, start } = store;
      const steps = {
        migrations: migrations && dense({ ...migrations }),
        seeds: seeds && dense({ ...seeds }),
      };
      return [key, dense({ kind, url, variable, start, ...steps })];
    });
  return entries.length === 0 ? {} : { [name]: Object.fromEntries(entries) };
}

const usualIngress = /^(?:edge|ingress|gateway|proxy|web|frontend|www|api)\b/;

/** The only one that is published, the one that is called like one, or that nobody needs. */
function ingressOf(services: readonly ServiceSources[]): string | undefined {
  const published = services.filter(({ isPublished }) => isPublished);
  if (published.length === 1) return published[0]?.name;
  const needed = new Set(services.flatMap((service) => calledBy(service, services)));
  const among = published.length > 1 ? published : services;
  const outer = among.map(({ name }) => name).filter((name) => !needed.has(name));
  return (
    outer.find((name) => usualIngress.test(name)) ?? (outer.length === 1 ? outer[0] : undefined)
  );
}

/** Whom it waits for, and whose address is in its environment. */
function calledBy(
  { name, dependsOn = [], environment = {} }: ServiceSources,
  services: readonly ServiceSources[],
): string[] {
  const values = Object.values(environment);
  const called = services.filter(
    (other) =>
      other.name !== name &&
      (values.some((value) =>
        new RegExp(`//(?:localhost|127\\.0\\.0\\.1):${other.port}\\b`).test(value),
      ) ||
        [other.name, ...(other.aliases ?? [])].some((host) => {
          const plain = host.split(':')[0] ?? host;
          return values.some((value) => new RegExp(`(?:^|//|@)${plain}(?=[:/?]|$)`).test(value));
        })),
  );
  return [...dependsOn, ...called.map((other) => other.name)];
}

function remarksOf(services: readonly ServiceSources[], stores: readonly UsedStore[]): Remark[] {
  return [
    ...services.map(({ name, where, tagging, language }) => ({
      path: ['services', name],
      text: `Found in ${where.join(', ')}.${tagging === 'baggage' ? passingOn(language) : ''}`,
    })),
    ...stores.map(({ name, store }) => ({
      path: [isDatastore(store.kind) ? 'datastores' : 'queues', name],
      text:
        store.start === undefined
          ? `Found in ${store.where}; it has to run on this machine at that address.`
          : `Found in ${store.where}; Surety starts it unless something answers at that address.`,
    })),
  ];
}

/** Only programs of Node pass keys on without a change. */
function passingOn(language: ServiceSources['language']): string {
  const section = language && recipeFor(language)?.section;
  const page = `docs/languages.md${section ? `#${section}` : ''}`;
  return ` How it passes the keys of lanes on: ${page}.`;
}

function heading({ looked }: Discovery, unknown: readonly string[]): string {
  const found = looked.length === 0 ? 'nothing that starts a service' : looked.join(', ');
  const lines = [
    'Written by surety init; docs/configuration.md lists every key.',
    `Read: ${found}.`,
  ];
  if (unknown.length === 0) return lines.join('\n');
  return [...lines, 'Not found out:', ...unknown.map((text) => `- ${text}`)].join('\n');
}

/** Each service on a port of its own: in containers all of them may have the same. */
function separatePorts(services: readonly ServiceSources[]): readonly ServiceSources[] {
  const taken = new Set<number>();
  return services.map((service) => {
    const { name, port } = service;
    if (port === undefined) return service;
    const free = freeFrom(port < privilegedPorts ? port + 8_000 : port, taken);
    taken.add(free);
    if (free === port) return service;
    const aliases = [...new Set([...(service.aliases ?? []), `${name}:${port}`])];
    return { ...service, port: free, aliases };
  });
}

/** Ports below it are for root. */
const privilegedPorts = 1_024;

function freeFrom(port: number, taken: ReadonlySet<number>): number {
  let free = port;
  while (taken.has(free)) free++;
  return free;
}
