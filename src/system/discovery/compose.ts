import { posix } from 'node:path';
import { isSecretName } from '../../kernel/index.ts';
import { healthPath } from './dockerfile.ts';
import {
  type DiscoveredService,
  type FileDiscovery,
  type FoundStore,
  serviceNameOf,
} from './found.ts';
import { type OneShot, seedsFrom, stepOf, storeOfOneShot, usualVariables } from './one-shot.ts';
import { programOf } from './program.ts';
import { list, type Repository, record, shellLine, text } from './repository.ts';
import { isAddressOf, storeKindOf, storeOf } from './stores.ts';

const names = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

export function composeFile(repository: Repository): string | undefined {
  return names.find((name) => repository.has(name));
}

type Service = Readonly<Record<string, unknown>>;

interface ComposeFile {
  readonly repository: Repository;
  readonly where: string;
  /** Variables of the file `.env` beside it, which compose puts into the text. */
  readonly variables: Readonly<Record<string, string>>;
}

export function readCompose(repository: Repository, where: string): FileDiscovery {
  const variables = envFile(repository, posix.join(posix.dirname(where), '.env'));
  const file = { repository, where, variables };
  const entries = entriesOf(file);
  const completed = completedServices(entries);
  const isOneShot = ([name, service]: Entry): boolean =>
    completed.has(name) || endsByItself(name, service);
  const oneShots = entries.filter(isOneShot);
  const lasting = entries.filter((entry) => !isOneShot(entry));
  const stores = lasting.flatMap(([name, service]) => storeIn(file, name, service));
  const others = lasting.filter(([, service]) => storeKindOf(text(service.image)) === undefined);
  const built = others.filter(([, service]) => service.build !== undefined);
  const services = built.map(([name, service]) => serviceOf(file, name, service));
  const migrated = withSteps(
    stores,
    oneShots.map(([name, service]) => oneShotOf(file, name, service)),
    services,
  );
  return {
    services: withDependencies(services, entries),
    stores: migrated.stores,
    unknown: [...foreignImages(others, where), ...migrated.unknown],
  };
}

type Entry = readonly [string, Service];

/** Those of a profile do not run unless somebody asks for it. */
function entriesOf({ repository, where }: ComposeFile): Entry[] {
  const override = where.replace(/\.(ya?ml)$/, '.override.$1');
  const own = record(record(repository.yaml(where)[0]).services);
  const further = record(record(repository.yaml(override)[0]).services);
  return Object.entries(own)
    .map(([name, value]) => [name, { ...record(value), ...record(further[name]) }] as const)
    .filter(([, service]) => list(service.profiles).length === 0);
}

function completedServices(entries: readonly Entry[]): ReadonlySet<string> {
  const conditions = entries.flatMap(([, { depends_on: needed }]) =>
    Object.entries(record(needed)),
  );
  return new Set(
    conditions.flatMap(([name, value]) =>
      record(value).condition === 'service_completed_successfully' ? [name] : [],
    ),
  );
}

const oneShotName = /(?:^|[-_])(?:migrat\w*|seed(?:er|s)?|init|setup|bootstrap|schema)(?:$|[-_])/;

function endsByItself(name: string, service: Service): boolean {
  const isServer = list(service.ports).length > 0 || service.healthcheck !== undefined;
  const isRestarted = /always|unless-stopped/.test(String(service.restart));
  return oneShotName.test(name) && !isServer && !isRestarted;
}

function foreignImages(others: readonly Entry[], where: string): string[] {
  const foreign = others.filter(([, service]) => service.build === undefined);
  return foreign.map(([name, service]) => {
    const image = text(service.image) ?? 'an image';
    const key = serviceNameOf(name);
    return `${key}: ${image} in ${where} is not built here; if it runs elsewhere, write services.${key}.address: <host>:<port>`;
  });
}

/** Who waits for a migration waits for the store; that is ready before any service starts. */
function withDependencies(
  services: readonly DiscoveredService[],
  entries: readonly Entry[],
): DiscoveredService[] {
  const known = new Set(services.map(({ name }) => name));
  const needed = new Map(
    entries.map(([name, service]) => [serviceNameOf(name), service.depends_on]),
  );
  return services.map((service) => ({
    ...service,
    dependsOn: dependenciesOf(needed.get(service.name)).filter((other) => known.has(other)),
  }));
}

function serviceOf(file: ComposeFile, key: string, service: Service): DiscoveredService {
  const { repository, where } = file;
  const { environment, secrets } = variablesOf(file, service);
  const name = serviceNameOf(key);
  const port = portOf(service);
  const program = programOf(repository, {
    ...buildOf(where, service),
    name,
    line: lineOf(service),
    environment,
    port,
  });
  const health = healthOf(record(service.healthcheck).test) ?? program.health;
  return {
    ...program,
    name,
    secrets,
    aliases:
      program.port === undefined
        ? []
        : hostsOf(key, service).map((host) => `${host}:${port ?? program.port}`),
    isPublished: list(service.ports).length > 0,
    health,
    where,
  };
}

function buildOf(where: string, service: Service): { directory: string; dockerfile?: string } {
  const build = record(service.build);
  const context = text(service.build) ?? text(build.context) ?? '.';
  const directory = posix.join(posix.dirname(where), context).replace(/\/$/, '') || '.';
  const dockerfile = text(build.dockerfile);
  return { directory, ...(dockerfile ? { dockerfile: posix.join(directory, dockerfile) } : {}) };
}

/** What compose says in place of ENTRYPOINT and CMD. */
function lineOf(service: Service): string | undefined {
  const line = (value: unknown): string | undefined => text(value) ?? shellLine(list(value));
  const entrypoint = line(service.entrypoint);
  const parts = [entrypoint, line(service.command)].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : withDollars(parts.join(' '));
}

/** Compose writes `$$` for a dollar that the shell is to see. */
const withDollars = (line: string): string => line.replaceAll('$$', '$');

/** The names by which other containers call it. */
function hostsOf(key: string, service: Service): string[] {
  const networks = Object.values(record(service.networks)).flatMap((one) =>
    list(record(one).aliases),
  );
  const given = [text(service.container_name), text(service.hostname), ...networks.map(text)];
  return [...new Set([key, ...given.flatMap((host) => (host ? [host] : []))])];
}

/** The port that the program itself has, which is the last part: `8080:80`. */
function portOf(service: Service): number | undefined {
  const [first] = [...list(service.ports), ...list(service.expose)];
  const target = text(record(first).target) ?? text(first)?.split('/')[0]?.split(':').at(-1);
  const port = Number(target?.replace(/^\$\{\w+:?-(\d+)\}$/, '$1'));
  return port > 0 && port < 65_536 ? port : undefined;
}

function dependenciesOf(value: unknown): string[] {
  const named = Array.isArray(value) ? value.map(String) : Object.keys(record(value));
  return named.map(serviceNameOf);
}

/** `curl -f http://localhost:3000/healthz` */
function healthOf(test: unknown): string | undefined {
  return healthPath(Array.isArray(test) ? test.join(' ') : String(test ?? ''));
}

type Variables = Required<Pick<DiscoveredService, 'secrets'>> & {
  readonly environment: Record<string, string>;
};

/** Those of `env_file`, then those of `environment`. */
function variablesOf({ repository, where, variables }: ComposeFile, service: Service): Variables {
  const files = [service.env_file].flat().map((one) => text(one) ?? text(record(one).path));
  const known = files.flatMap((path) =>
    path ? [envFile(repository, posix.join(posix.dirname(where), path))] : [],
  );
  const { environment, secrets } = environmentOf(service.environment, variables);
  return { environment: { ...Object.assign({}, ...known), ...environment }, secrets };
}

export function environmentOf(
  value: unknown,
  variables: Readonly<Record<string, string>> = {},
): Variables {
  const pairs = Array.isArray(value)
    ? value.map((line) => splitPair(String(line)))
    : Object.entries(record(value)).map(([name, content]) => [name, valueText(content)] as const);
  const environment: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const [name, given] of pairs) {
    const content = withVariables(given ?? `\${${name}}`, variables);
    const reference = /^\$\{(\w+)\}$/.exec(content)?.[1];
    if (reference !== undefined && (isSecretName(name) || secretEnding.test(name)))
      secrets[name] = `env:${reference}`;
    else environment[name] = content;
  }
  return { environment, secrets };
}

const valueText = (value: unknown): string | undefined =>
  typeof value === 'boolean' ? String(value) : text(value);

/** Words that end the names of variables with secrets. */
const secretEnding = /(?:TOKEN|SECRET|PASSWORD|_KEY)$/i;

function splitPair(line: string): readonly [string, string | undefined] {
  const equals = line.indexOf('=');
  return equals < 0 ? [line, undefined] : [line.slice(0, equals), line.slice(equals + 1)];
}

/** What `.env` says; `${NAME:-standard}` is its standard, since surety.yaml knows no such thing. */
function withVariables(content: string, variables: Readonly<Record<string, string>>): string {
  return content
    .replaceAll(/\$\{(\w+)(?::?[-?+]([^}]*))?\}/g, (whole, name: string, rest?: string) => {
      const isStandard = /^\$\{\w+:?-/.test(whole);
      return variables[name] ?? (isStandard ? (rest ?? '') : `\${${name}}`);
    })
    .replaceAll(/\$(\w+)/g, (_, name: string) => variables[name] ?? `\${${name}}`);
}

function envFile(repository: Repository, path: string): Record<string, string> {
  const lines = repository.text(path).split(/\r?\n/);
  const pairs = lines.flatMap((line) => {
    const [, name, value = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    return name ? [[name, value.trim().replace(/^(["'])(.*)\1$/, '$2')]] : [];
  });
  return Object.fromEntries(pairs);
}

function storeIn(file: ComposeFile, key: string, service: Service): FoundStore[] {
  const kind = storeKindOf(text(service.image));
  if (kind === undefined) return [];
  const { environment } = variablesOf(file, service);
  const mounts = mountsOf(file, service);
  const seeds =
    kind === 'postgres'
      ? seedsFrom(mounts, (path) => file.repository.isDirectory(path))
      : undefined;
  return storeOf({
    name: serviceNameOf(key),
    hosts: hostsOf(key, service),
    publishedPort: publishedPort(file, service),
    image: text(service.image) ?? '',
    environment,
    seeds,
    where: file.where,
  });
}

function publishedPort({ variables }: ComposeFile, service: Service): number | undefined {
  const [first] = list(service.ports);
  const long = record(first).published;
  const short = text(first)?.split('/')[0];
  const parts = withVariables(short ?? '', variables).split(':');
  const port = Number(text(long) ?? (parts.length > 1 ? parts.at(-2) : undefined));
  return port > 0 ? port : undefined;
}

/** Files of the repository by where the container has them. */
function mountsOf({ where }: ComposeFile, service: Service): Record<string, string> {
  const pairs = list(service.volumes).flatMap((volume) => {
    const [short = '', place = ''] = text(volume)?.split(':') ?? [];
    const source = text(record(volume).source) ?? short;
    const target = text(record(volume).target) ?? place;
    if (!/^\.{1,2}(?:\/|$)/.test(source)) return [];
    return [
      [target.replace(/\/$/, ''), posix.join(posix.dirname(where), source).replace(/\/$/, '')],
    ];
  });
  return Object.fromEntries(pairs);
}

function oneShotOf(file: ComposeFile, key: string, service: Service): OneShot {
  const { environment } = variablesOf(file, service);
  const place = service.build === undefined ? { directory: '.' } : buildOf(file.where, service);
  const line = lineOf(service);
  const mounts = mountsOf(file, service);
  const name = serviceNameOf(key);
  if (service.build === undefined) {
    return { name, command: line ?? '', directory: '.', environment, mounts };
  }
  const program = programOf(file.repository, { ...place, name, line, environment });
  const command = program.command ?? '';
  return { name, command, directory: program.directory, environment, mounts };
}

interface MigratedStores {
  readonly stores: readonly FoundStore[];
  readonly unknown: readonly string[];
}

/** One-shot containers become the migrations of the store that they change. */
function withSteps(
  stores: readonly FoundStore[],
  oneShots: readonly OneShot[],
  services: readonly DiscoveredService[],
): MigratedStores {
  const unknown: string[] = [];
  const steps = new Map<string, ReturnType<typeof stepOf>[]>();
  for (const oneShot of oneShots) {
    const store = storeOfOneShot(oneShot, stores);
    if (!store || oneShot.command === '') {
      unknown.push(
        `${oneShot.name}: what it is for; if it migrates a database, write datastores.<name>.migrations: { command: … }`,
      );
      continue;
    }
    const step = stepOf(oneShot, store, variableOf(store, services));
    steps.set(store.name, [...(steps.get(store.name) ?? []), step]);
  }
  return {
    unknown,
    stores: stores.map((store) => ({ ...store, migrations: joined(steps.get(store.name) ?? []) })),
  };
}

/** The variable by which most services get its address. */
export function variableOf(
  store: FoundStore,
  services: readonly Pick<DiscoveredService, 'environment'>[],
): string {
  const used = services.flatMap(({ environment = {} }) =>
    Object.entries(environment).flatMap(([name, value]) =>
      isAddressOf(store, value) ? [name] : [],
    ),
  );
  const counts = Map.groupBy(used, (name) => name);
  const [most] = [...counts].toSorted(([, one], [, other]) => other.length - one.length);
  return most?.[0] ?? usualVariables[store.kind];
}

function joined(
  steps: readonly ReturnType<typeof stepOf>[],
): ReturnType<typeof stepOf> | undefined {
  const [first, ...rest] = steps;
  if (first === undefined || rest.length === 0) return first;
  const inFolder = ({ command, directory }: ReturnType<typeof stepOf>): string =>
    directory === undefined ? command : `(cd ${directory} && ${command})`;
  return {
    command: steps.map(inFolder).join(' && '),
    environment: Object.assign({}, ...steps.map(({ environment }) => environment ?? {})),
    paths: steps.flatMap(({ paths }) => paths ?? []),
  };
}
