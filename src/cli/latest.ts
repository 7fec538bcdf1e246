import { fault } from '../kernel/index.ts';
import type { WorkspacePlace } from '../runtime/place.ts';
import type { Command } from './command.ts';

/** The word for the latest lane, verdict or task, where a command takes an id. */
const latestWord = 'last';

/** The words of a command, with the latest id in place of `last`. */
export async function withLatest(
  { arguments: given = [] }: Command,
  words: readonly string[],
  place: WorkspacePlace,
): Promise<string[]> {
  return Promise.all(
    words.map((word, at) => {
      const kind = /^[<[](lane|verdict|task)[\]>]$/.exec(given[at]?.[0] ?? '')?.[1];
      return word === latestWord && kind !== undefined ? latestOf(kind, place) : word;
    }),
  );
}

async function latestOf(kind: string, place: WorkspacePlace): Promise<string> {
  // Loaded here: most commands name an id, and help needs no client.
  const { connectDaemon } = await import('./daemon-client.ts');
  const client = connectDaemon(place);
  const ids = {
    lane: async () => (await client.call('GET /v1/lanes', {})).lanes.map(({ lane }) => lane),
    task: async () =>
      (await client.call('GET /v1/tasks', { query: {} })).tasks.map(({ task }) => task),
    verdict: async () => {
      const { verdicts } = await client.call('GET /v1/verdicts', { query: {} });
      return verdicts.map(({ verdict }) => verdict);
    },
  }[kind];
  // Identifiers begin with the time at which they were made.
  const latest = (await ids?.())?.toSorted().at(-1);
  if (latest === undefined) throw fault('NOT_FOUND', { what: `${kind} yet` });
  return latest;
}
