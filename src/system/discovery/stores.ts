import type { FoundStep, FoundStore, FoundStoreKind } from './found.ts';
import { imageName } from './program.ts';

const kinds: Readonly<Record<string, FoundStoreKind>> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  postgis: 'postgres',
  pgvector: 'postgres',
  timescaledb: 'postgres',
  'timescaledb-ha': 'postgres',
  redis: 'redis',
  'redis-stack-server': 'redis',
  valkey: 'redis',
  keydb: 'redis',
  dragonfly: 'redis',
  nats: 'nats',
  rabbitmq: 'rabbitmq',
};

export const usualPorts: Readonly<Record<FoundStoreKind, number>> = {
  postgres: 5_432,
  redis: 6_379,
  nats: 4_222,
  rabbitmq: 5_672,
};

/** Undefined for an image that is no database or queue that Surety knows. */
export function storeKindOf(image: string | undefined): FoundStoreKind | undefined {
  return kinds[imageName(image) ?? ''];
}

/** A container of a database or queue, as some file describes it. */
export type StoreContainer = Pick<
  FoundStore,
  'name' | 'hosts' | 'publishedPort' | 'image' | 'environment' | 'where'
> & { readonly seeds?: FoundStep | undefined };

export function storeOf(container: StoreContainer): FoundStore[] {
  const kind = storeKindOf(container.image);
  if (kind === undefined) return [];
  const port = usualPorts[kind];
  const address = `127.0.0.1:${container.publishedPort ?? port}`;
  const url = { ...plainUrls, postgres: postgresUrl }[kind](address, container.environment);
  return [{ ...container, kind, port, url }];
}

type UrlOf = (address: string, environment: Readonly<Record<string, string>>) => string;

const plainUrls: Readonly<Record<Exclude<FoundStoreKind, 'postgres'>, UrlOf>> = {
  redis: (address) => `redis://${address}`,
  nats: (address) => `nats://${address}`,
  rabbitmq: (address, environment) => {
    const { RABBITMQ_DEFAULT_USER: user, RABBITMQ_DEFAULT_PASS: password } = environment;
    return `amqp://${user ? `${user}:${password ?? ''}@` : ''}${address}`;
  },
};

function postgresUrl(address: string, environment: Readonly<Record<string, string>>): string {
  const { POSTGRES_USER: user = 'postgres', POSTGRES_DB: database = user } = environment;
  const password = environment.POSTGRES_PASSWORD;
  const account = password === undefined ? user : `${user}:${password}`;
  return `postgres://${account}@${address}/${database}`;
}

const schemes: Readonly<Record<FoundStoreKind, RegExp>> = {
  postgres: /^postgres(?:ql)?:\/\//,
  redis: /^rediss?:\/\//,
  nats: /^nats:\/\//,
  rabbitmq: /^amqps?:\/\//,
};

/** Whether a variable holds the whole address of a store, in the form that its clients share. */
export function isAddressOf(store: FoundStore, value: string): boolean {
  return schemes[store.kind].test(value) && namesHost(store, value);
}

/** Whether a variable names a store in any form: as a host, with a port, in an address. */
export function namesHost({ hosts }: FoundStore, value: string): boolean {
  return hosts.some((host) => hostPattern(host).test(value));
}

/** The same value, with the address of the store on this machine. */
export function onThisMachine(store: FoundStore, value: string): string {
  const port = store.publishedPort ?? store.port;
  return store.hosts.reduce((text, host) => {
    const isUrl = /:\/\//.test(text);
    return text.replace(hostPattern(host), (_, before: string, given?: string) => {
      const withPort = given !== undefined || isUrl ? `:${port}` : '';
      return `${before}127.0.0.1${withPort}`;
    });
  }, value);
}

function hostPattern(host: string): RegExp {
  const plain = host.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(String.raw`(^|[/@=,;\s])${plain}(:\d+)?(?=$|[/?,;\s])`);
}
