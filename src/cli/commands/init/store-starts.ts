import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import {
  type Discovery,
  hasRedisServer,
  postgresServerPrograms,
  shellLine,
} from '../../../system/index.ts';

type Store = Discovery['stores'][number];

/** What this machine has to run databases with. */
export interface Machine {
  answers(port: number): Promise<boolean>;
  /** Whether this kind of store is installed. */
  has(kind: Store['kind']): boolean;
  /** `docker` or `podman`, if its service answers. */
  containers(): string | undefined;
}

export const thisMachine: Machine = {
  answers: isListening,
  has: (kind) =>
    (kind === 'postgres' && postgresServerPrograms() !== undefined) ||
    (kind === 'redis' && hasRedisServer()),
  containers: () =>
    ['docker', 'podman'].find((tool) => spawnSync(tool, ['info'], toolOptions).status === 0),
};

const toolMsMax = 5_000;
const toolOptions = { stdio: 'ignore', timeout: toolMsMax } as const;

/** Says for each store how Surety starts it, unless it runs already where the files say. */
export async function withStoreStarts(discovery: Discovery, machine: Machine): Promise<Discovery> {
  const unknown: string[] = [];
  const stores: Store[] = [];
  for (const store of discovery.stores) {
    const started = await withStart(store, machine);
    if (started.start === undefined && !(await machine.answers(portOf(started)))) {
      unknown.push(formatMissing(started));
    }
    stores.push(started);
  }
  return { ...discovery, stores, unknown: [...discovery.unknown, ...unknown] };
}

async function withStart(store: Store, machine: Machine): Promise<Store> {
  const isQueue = store.kind === 'nats' || store.kind === 'rabbitmq';
  const isRunning =
    store.publishedPort !== undefined && (await machine.answers(store.publishedPort));
  if (isQueue || isRunning) return store;
  const moved = await onFreePort(store, machine);
  if (machine.has(store.kind)) return { ...moved, start: 'local' };
  const tool = machine.containers();
  return tool === undefined ? store : { ...moved, start: containerCommand(tool, moved) };
}

/** What answers on the usual port of a store that is not published there, is another one. */
async function onFreePort(store: Store, machine: Machine): Promise<Store> {
  let port = store.publishedPort ?? store.port;
  while (await machine.answers(port)) port += 10_000;
  const url = store.url.replace(/@?127\.0\.0\.1:\d+/, (place) =>
    place.replace(/\d+$/, String(port)),
  );
  return { ...store, publishedPort: port, url };
}

function containerCommand(
  tool: string,
  { image, environment, port, publishedPort }: Store,
): string {
  const variables = Object.entries(environment).flatMap(([name, value]) => [
    '-e',
    `${name}=${value}`,
  ]);
  const place = ['-p', `127.0.0.1:${publishedPort}:${port}`];
  // Name and variables are text of the repository, and this is run by a shell.
  return shellLine([tool, 'run', '--rm', ...place, ...variables, '--', image]) ?? '';
}

const portOf = ({ publishedPort, port }: Store): number => publishedPort ?? port;

function formatMissing(store: Store): string {
  const place = `127.0.0.1:${portOf(store)}`;
  const compose = /compose/.test(store.where) ? ` (docker compose up -d ${store.name})` : '';
  return `${store.name}: nothing answers at ${place}; start it there before surety system up${compose}`;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}
