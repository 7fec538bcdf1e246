import type { Instant, JsonObject } from '../../kernel/index.ts';
import { type Entry, readContent, readEntry, type StoreReader } from '../../ledger/index.ts';
import { ToolUsage } from './tool-usage.ts';

export interface CallHistory {
  readonly usages: ReadonlyMap<string, ToolUsage>;
  /** The number of calls whose arguments were destroyed. */
  readonly forgotten: number;
  readonly from: Instant;
  readonly until: Instant;
}

/** The recorded calls of agents that were observed or granted. */
export async function readHistory(source: StoreReader): Promise<CallHistory> {
  const sightings = new Map<string, ToolUsage>();
  const committed = new Map<string, Set<string>>();
  let forgotten = 0;
  let from = 0;
  let until = 0;
  for await (const page of source.scanEntries(0)) {
    for (const stored of page) {
      if (stored.kind === 'proposal-committed') remember(readEntry(stored), committed);
      if (stored.kind !== 'proposal-granted' || !stored.actor.startsWith('agent:')) continue;
      const entry = readEntry(stored);
      const given = await argumentsOf(entry, source);
      if (given === undefined) forgotten++;
      else addCall(entry, given, sightings, committed);
      from ||= entry.at;
      until = entry.at;
    }
  }
  return { usages: sightings, forgotten, from, until };
}

function remember({ body }: Entry, committed: Map<string, Set<string>>): void {
  if (!body.trajectory) return;
  const way = String(body.trajectory);
  committed.set(way, (committed.get(way) ?? new Set()).add(String(body.tool)));
}

async function argumentsOf({ seq }: Entry, source: StoreReader): Promise<JsonObject | undefined> {
  const contents = (await source.contents(seq)).map(readContent);
  return contents.find(({ name }) => name === 'arguments')?.value as JsonObject | undefined;
}

function addCall(
  { body, actor, at }: Entry,
  given: JsonObject,
  sightings: Map<string, ToolUsage>,
  committed: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  const tool = String(body.tool);
  const sighting = sightings.get(tool) ?? new ToolUsage(tool, body.native === true);
  sightings.set(tool, sighting);
  const before = committed.get(String(body.trajectory)) ?? new Set<string>();
  sighting.add({ actor, at, arguments: given, before });
}
