import { posix } from 'node:path';
import { isSecretName } from '../../kernel/index.ts';
import {
  type DiscoveredService,
  type FileDiscovery,
  type FoundStore,
  serviceNameOf,
} from './found.ts';
import { imageName, programOf } from './program.ts';
import { list, type Repository, record, shellLine, text } from './repository.ts';

const names = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

export function composeFile(repository: Repository): string | undefined {
  return names.find((name) => repository.has(name));
}

export function readCompose(repository: Repository, where: string): FileDiscovery {
  const file = record(repository.yaml(where)[0]);
  const entries = Object.entries(record(file.services)).map(
    ([name, value]) => [name, record(value)] as const,
  );
  const stores = entries.flatMap(([name, service]) => storeOf(name, service, where));
  const others = entries.filter(([name]) => !stores.some((store) => store.name === name));
  const built = others.filter(([, service]) => service.build !== undefined);
  const foreign = others.filter(([, service]) => service.build === undefined);
  const services = built.map(([name, service]) => serviceOf(repository, name, service, where));
  const known = new Set(services.map((service) => service.name));
  return {
    services: services.map((service) => ({
      ...service,
      dependsOn: service.dependsOn?.filter((other) => known.has(other)),
    })),
    stores,
    unknown: foreign.map(([name, service]) => {
      const image = text(service.image) ?? 'an image';
      return `${name}: ${image} in ${where} is not built here; if it runs elsewhere, give its address`;
    }),
  };
}

type Service = Readonly<Record<string, unknown>>;

function serviceOf(
  repository: Repository,
  key: string,
  service: Service,
  where: string,
): DiscoveredService {
  const build = record(service.build);
  const context = text(service.build) ?? text(build.context) ?? '.';
  const directory = posix.join(posix.dirname(where), context).replace(/\/$/, '') || '.';
  const program = programOf(repository, directory);
  const { environment, secrets } = environmentOf(service.environment);
  const port = portOf(service) ?? (Number(environment.PORT) || program.port);
  const name = serviceNameOf(key);
  return {
    ...program,
    name,
    directory,
    command: text(service.command) ?? shellLine(list(service.command)) ?? program.command,
    port,
    environment,
    secrets,
    aliases: port === undefined ? [] : [`${key}:${port}`],
    dependsOn: dependenciesOf(service.depends_on),
    health: healthOf(record(service.healthcheck).test),
    where,
  };
}

/** The port that the program itself has, which is the last part: `8080:80`. */
function portOf(service: Service): number | undefined {
  const [first] = [...list(service.ports), ...list(service.expose)];
  const target = text(record(first).target) ?? text(first)?.split('/')[0]?.split(':').at(-1);
  const port = Number(target);
  return port > 0 && port < 65_536 ? port : undefined;
}

function dependenciesOf(value: unknown): string[] {
  const names = Array.isArray(value) ? value.map(String) : Object.keys(record(value));
  return names.map(serviceNameOf);
}

/** `curl -f http://localhost:3000/healthz` */
function healthOf(test: unknown): string | undefined {
  const line = Array.isArray(test) ? test.join(' ') : String(test ?? '');
  return /https?:\/\/[^/\s"']+(\/[^\s"'|;&]*)/.exec(line)?.[1];
}

export function environmentOf(value: unknown): Required<
  Pick<DiscoveredService, 'environment' | 'secrets'>
> & {
  environment: Record<string, string>;
} {
  const pairs = Array.isArray(value)
    ? value.map((line) => splitPair(String(line)))
    : Object.entries(record(value)).map(([name, content]) => [name, text(content)] as const);
  const environment: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const [name, given] of pairs) {
    const content = given === undefined ? `\${${name}}` : withDefaults(given);
    const reference = /^\$\{(\w+)\}$/.exec(content)?.[1];
    if (reference !== undefined && (isSecretName(name) || secretEnding.test(name)))
      secrets[name] = `env:${reference}`;
    else environment[name] = content;
  }
  return { environment, secrets };
}

/** Words that end the names of variables with secrets. */
const secretEnding = /(?:TOKEN|SECRET|PASSWORD|_KEY)$/i;

function splitPair(line: string): readonly [string, string | undefined] {
  const equals = line.indexOf('=');
  return equals < 0 ? [line, undefined] : [line.slice(0, equals), line.slice(equals + 1)];
}

/** `${NAME:-standard}` is its standard; surety.yaml knows no such thing. */
function withDefaults(content: string): string {
  return content.replace(/\$\{\w+:?-([^}]*)\}/g, '$1').replace(/\$(\w+)/g, '${$1}');
}

function storeOf(name: string, service: Service, where: string): FoundStore[] {
  const image = imageName(text(service.image)) ?? '';
  const { environment } = environmentOf(service.environment);
  const publicPort = (own: number): string => {
    const published = list(service.ports).map((port) => text(port)?.split(':') ?? []);
    return published.find((parts) => parts.at(-1) === String(own))?.at(-2) ?? String(own);
  };
  const kinds: Readonly<Record<string, () => Omit<FoundStore, 'name' | 'where'>>> = {
    postgres: () => {
      const { POSTGRES_USER: user = 'postgres', POSTGRES_DB: database = user } = environment;
      const password = environment.POSTGRES_PASSWORD;
      const account = password === undefined ? user : `${user}:${password}`;
      const url = `postgres://${account}@127.0.0.1:${publicPort(5_432)}/${database}`;
      return { kind: 'postgres', url };
    },
    redis: () => ({ kind: 'redis', url: `redis://127.0.0.1:${publicPort(6_379)}` }),
    valkey: () => ({ kind: 'redis', url: `redis://127.0.0.1:${publicPort(6_379)}` }),
    nats: () => ({ kind: 'nats', url: `nats://127.0.0.1:${publicPort(4_222)}` }),
    rabbitmq: () => ({ kind: 'rabbitmq', url: `amqp://127.0.0.1:${publicPort(5_672)}` }),
  };
  const kind = Object.keys(kinds).find((known) => image.startsWith(known));
  return kind === undefined
    ? []
    : [{ name: serviceNameOf(name), ...kinds[kind]?.(), where } as FoundStore];
}
