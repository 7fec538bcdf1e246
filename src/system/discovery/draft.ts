import { type Remark, writeText } from '../../document/index.ts';
import type { Discovery } from './discover.ts';
import type { FoundStore, ServiceSources } from './found.ts';
import { recipeFor } from './propagation.ts';

/** A surety.yaml, with comments that say where each thing was found and what is missing. */
export interface ConfigDraft {
  readonly text: string;
  readonly services: readonly string[];
  readonly unknown: readonly string[];
}

export function draftConfig(discovery: Discovery): ConfigDraft {
  const startable = discovery.services.filter(isStartable);
  const separate = separatePorts(startable);
  const names = new Set(separate.services.map(({ name }) => name));
  const stores = discovery.stores.map((store) => withUsers(store, separate.services));
  const ingress = ingressOf(separate.services);
  const unknown = [
    ...discovery.unknown,
    ...discovery.services.filter((service) => !isStartable(service)).map(missing),
    ...separate.unknown,
    ...stores.flatMap(({ told }) => told),
    ...(ingress === undefined && names.size > 0
      ? ['ingress: which service requests from outside come to']
      : []),
  ];
  const value = {
    ...(ingress === undefined ? {} : { ingress }),
    services: Object.fromEntries(
      separate.services.map((service) => [service.name, written(service, names, stores)]),
    ),
    ...section('datastores', stores, (kind) => kind === 'postgres' || kind === 'redis'),
    ...section('queues', stores, (kind) => kind === 'nats' || kind === 'rabbitmq'),
  };
  const remarks = remarksOf(separate.services, stores);
  const text = writeText(value, { heading: heading(discovery, unknown), remarks });
  return { text, services: [...names], unknown };
}

function isStartable({ command, port }: ServiceSources): boolean {
  return command !== undefined && port !== undefined;
}

function missing({ name, command, port, where }: ServiceSources): string {
  const what = [
    command === undefined ? 'how to start it' : '',
    port === undefined ? 'its port' : '',
  ];
  const found = `(found in ${where.join(', ')})`;
  const hint = command !== undefined ? '; try surety init --trial' : '';
  return `${name}: ${what.filter(Boolean).join(' and ')} ${found}${hint}`;
}

interface UsedVariable extends FoundStore {
  readonly variable: string;
  readonly users: readonly string[];
  readonly told: readonly string[];
}

const usual = {
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
  nats: 'NATS_URL',
  rabbitmq: 'AMQP_URL',
};

/** Who has an address of the store in its environment uses it, by that variable. */
function withUsers(store: FoundStore, services: readonly ServiceSources[]): UsedVariable {
  const host = new RegExp(`(?://|@|^)${store.name}(?=[:/?]|$)`);
  const uses = services.flatMap(({ name, environment = {} }) =>
    Object.entries(environment)
      .filter(([, value]) => /^\w+:\/\//.test(value) && host.test(value))
      .map(([variable]) => ({ name, variable })),
  );
  const variable = uses[0]?.variable ?? usual[store.kind];
  const users = uses.filter((use) => use.variable === variable).map(({ name }) => name);
  const told =
    uses.length > 0 ? [] : [`${store.name}: which services use it, and by which variable`];
  return { ...store, variable, users, told };
}

function written(
  service: ServiceSources,
  names: ReadonlySet<string>,
  stores: readonly UsedVariable[],
): object {
  const { name, command, directory = '.', port, health, install, limits = {} } = service;
  const used = stores.filter(({ users }) => users.includes(name));
  const variables = new Set(used.map(({ variable }) => variable));
  const environment = Object.fromEntries(
    Object.entries(service.environment ?? {}).filter(
      ([variable]) => !variables.has(variable) && variable !== 'PORT',
    ),
  );
  const data = used.filter(({ kind }) => kind === 'postgres' || kind === 'redis');
  return dense({
    command,
    install,
    directory: directory === '.' ? undefined : directory,
    port,
    health,
    tagging: service.tagging === 'baggage' ? 'baggage' : undefined,
    aliases: service.aliases?.filter((alias) => alias !== `${name}:${port}`),
    environment,
    secrets: service.secrets,
    limits,
    paths: [directory],
    dependsOn: service.dependsOn?.filter((other) => names.has(other) && other !== name),
    stores: data.map((store) => store.name),
    queues: used.filter((store) => !data.includes(store)).map((queue) => queue.name),
  });
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
  stores: readonly UsedVariable[],
  isOf: (kind: FoundStore['kind']) => boolean,
): object {
  const entries = stores
    .filter(({ kind }) => isOf(kind))
    .map(({ name: store, kind, url, variable }) => [store, { kind, url, variable }]);
  return entries.length === 0 ? {} : { [name]: Object.fromEntries(entries) };
}

const usualIngress = /^(?:edge|ingress|gateway|proxy|web|frontend|www|api)\b/;

/** The one that is called like one, or that nobody else needs. */
function ingressOf(services: readonly ServiceSources[]): string | undefined {
  const needed = new Set(services.flatMap(({ dependsOn }) => dependsOn ?? []));
  const outer = services.map(({ name }) => name).filter((name) => !needed.has(name));
  return (
    outer.find((name) => usualIngress.test(name)) ?? (outer.length === 1 ? outer[0] : undefined)
  );
}

function remarksOf(services: readonly ServiceSources[], stores: readonly FoundStore[]): Remark[] {
  return [
    ...services.map(({ name, where, tagging, language }) => ({
      path: ['services', name],
      text: `Found in ${where.join(', ')}.${tagging === 'baggage' ? passingOn(language) : ''}`,
    })),
    ...stores.map(({ name, kind, where }) => ({
      path: [kind === 'postgres' || kind === 'redis' ? 'datastores' : 'queues', name],
      text: `Found in ${where}; it has to run on this machine at that address.`,
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
function separatePorts(services: readonly ServiceSources[]): {
  readonly services: readonly ServiceSources[];
  readonly unknown: readonly string[];
} {
  const holders = new Map<number, string>();
  const unknown: string[] = [];
  const separate = services.map((service) => {
    const { name, port } = service;
    if (port === undefined) return service;
    const free = freeFrom(port, holders);
    const holder = holders.get(port);
    holders.set(free, name);
    if (holder !== undefined) {
      const told = `${name}: it has port ${port} like ${holder}, and gets ${free} here by PORT`;
      unknown.push(`${told}; check that it heeds that`);
    }
    return { ...service, port: free };
  });
  return { services: separate, unknown };
}

function freeFrom(port: number, holders: ReadonlyMap<number, string>): number {
  let free = port;
  while (holders.has(free)) free++;
  return free;
}
