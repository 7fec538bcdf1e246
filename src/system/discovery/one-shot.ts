import { posix } from 'node:path';
import type { FoundStep, FoundStore } from './found.ts';
import { wordsOf } from './programs/program-place.ts';
import { isAddressOf, namesHost, onThisMachine } from './stores.ts';

/** A container that runs to its end, such as a migration. */
export interface OneShot {
  readonly name: string;
  readonly command: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Files of the repository that its container sees, by where it sees them. */
  readonly mounts: Readonly<Record<string, string>>;
}

export const usualVariables: Readonly<Record<FoundStore['kind'], string>> = {
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
  nats: 'NATS_URL',
  rabbitmq: 'AMQP_URL',
};

/** The store that it changes: the one that it names, otherwise the only Postgres. */
export function storeOfOneShot(
  { command, environment }: OneShot,
  stores: readonly FoundStore[],
): FoundStore | undefined {
  const texts = [command, ...Object.values(environment)];
  const databases = stores.filter(({ kind }) => kind === 'postgres');
  const named = databases.find((store) =>
    texts.some((text) => words(text).some((word) => namesHost(store, word))),
  );
  return named ?? (databases.length === 1 ? databases[0] : undefined);
}

const words = (text: string): string[] =>
  wordsOf(text).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));

/** As surety.yaml has it: the address comes by a variable, so that lanes can have their own. */
export function stepOf(oneShot: OneShot, store: FoundStore, variable: string): FoundStep {
  const paths = Object.values(oneShot.mounts);
  const environment = Object.fromEntries(
    Object.entries(oneShot.environment)
      .filter(([, value]) => !isAddressOf(store, value))
      .map(([name, value]) => [name, onThisMachine(store, value)]),
  );
  const command = wordsOf(oneShot.command)
    .map((word) => mounted(word, oneShot.mounts, oneShot.directory))
    .map((word) =>
      words(word).some((plain) => isAddressOf(store, plain)) ? `"$${variable}"` : word,
    )
    .join(' ');
  const { directory } = oneShot;
  return {
    command: withDatabase(command, store, variable),
    directory: directory === '.' ? undefined : directory,
    environment: isPsql(command) ? undefined : environment,
    paths: paths.length > 0 ? paths : directory === '.' ? undefined : [directory],
  };
}

const isPsql = (command: string): boolean => /^psql\b/.test(command);

/** psql with the database in single flags or variables gets the whole address in their place. */
function withDatabase(command: string, { hosts }: FoundStore, variable: string): string {
  if (!isPsql(command) || command.includes(`$${variable}`)) return command;
  const rest = wordsOf(command).slice(1).join(' ');
  const host = hosts.join('|');
  const plain = rest
    .replaceAll(new RegExp(String.raw`(?:^|\s)(?:-h|--host)[= ]?(?:${host})\b`, 'g'), '')
    .replaceAll(/(?:^|\s)(?:-U|--username|-d|--dbname|-p|--port)[= ]?\S+/g, '');
  return `psql "$${variable}" ${plain.trim()}`;
}

/** A path of the container as the one of the repository that is mounted there. */
function mounted(
  word: string,
  mounts: Readonly<Record<string, string>>,
  directory: string,
): string {
  const found = Object.entries(mounts).find(
    ([place]) => word === place || word.startsWith(`${place}/`),
  );
  if (!found) return word;
  const [place, source] = found;
  return posix.join(posix.relative(directory, source) || '.', word.slice(place.length)) || '.';
}

/** Scripts that an image of Postgres runs when its data directory is empty. */
export function seedsFrom(
  mounts: Readonly<Record<string, string>>,
  isDirectory: (path: string) => boolean,
): FoundStep | undefined {
  const sources = Object.entries(mounts)
    .filter(([place]) => place.startsWith('/docker-entrypoint-initdb.d'))
    .map(([, source]) => source);
  if (sources.length === 0) return undefined;
  const run = (file: string): string =>
    `psql "$DATABASE_URL" --quiet --set=ON_ERROR_STOP=1 --file=${file}`;
  const commands = sources.map((source) =>
    isDirectory(source)
      ? `for file in ${source}/*.sql; do ${run('"$file"')} || exit 1; done`
      : run(source),
  );
  return { command: commands.join(' && ') };
}
