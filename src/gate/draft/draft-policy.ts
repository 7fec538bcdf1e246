import { type Remark, writeText } from '../../document/index.ts';
import { fault, type Instant, type JsonObject } from '../../kernel/index.ts';
import { type Entry, readContent, readEntry, type StoreReader } from '../../ledger/index.ts';
import { CodingUsage, isCodingCall } from './coding-usage.ts';
import { type ContractDraft, draftContract } from './draft-contract.ts';
import { PlaceValues } from './place-values.ts';
import type { ToolOffer } from './tool-offer.ts';
import { ToolUsage } from './tool-usage.ts';

export interface PolicyDraft {
  /** YAML, with the number of supporting calls in comments. */
  readonly text: string;
  readonly tools: readonly { readonly tool: string; readonly times: number }[];
  readonly agents: readonly string[];
  /** Names that are not valid in a policy. */
  readonly leftOut: readonly string[];
  readonly forgotten: number;
}

const toolPattern = /^[A-Za-z0-9_][A-Za-z0-9_./:-]{0,127}$/;
const agentPattern = /^[a-z][a-z0-9-]{0,39}$/;

/**
 * Drafts contracts and agents from recorded calls, and contracts of tools that are offered and were
 * never called. The draft is in observe mode, so it refuses nothing.
 */
export async function draftPolicy(
  source: StoreReader,
  offers: readonly ToolOffer[] = [],
): Promise<PolicyDraft> {
  const seen = await readHistory(source, offers);
  const all = [...seen.usages.values()].sort((one, other) => (one.tool < other.tool ? -1 : 1));
  const named = all.filter(({ tool }) => toolPattern.test(tool));
  const drafted = named.filter(({ isNative }) => !isNative);
  const { coding } = seen;
  if (named.length === 0 && coding.times === 0) throw fault('DRAFT_EMPTY', {});
  const contracts = draftContracts(drafted, seen.usages);
  const actors = [...all.flatMap(({ agents }) => [...agents]), ...coding.agents];
  const names = [...new Set(actors.map(nameOf))].sort();
  const agents = names.filter((name) => agentPattern.test(name));
  const parts = agents.map((name) => draftAgent(name, named, coding));
  const document = { ...documentOf(drafted, contracts, agents, parts), ...coding.document() };
  const text = writeText(document, {
    heading: headingOf(drafted, seen),
    remarks: [...contracts, ...parts].flatMap(({ remarks }) => remarks),
  });
  return {
    text,
    tools: drafted.map(({ tool, times }) => ({ tool, times })),
    agents,
    leftOut: [
      ...all.filter(({ tool }) => !toolPattern.test(tool)).map(({ tool }) => tool),
      ...names.filter((name) => !agentPattern.test(name)),
    ],
    forgotten: seen.forgotten,
  };
}

function draftContracts(
  drafted: readonly ToolUsage[],
  all: ReadonlyMap<string, ToolUsage>,
): ContractDraft[] {
  const placesOf = new Map<string | undefined, PlaceValues>();
  for (const { offer, arguments: sketch } of drafted) {
    if (!offer) continue;
    const places = placesOf.get(offer.provider) ?? new PlaceValues();
    placesOf.set(offer.provider, places);
    places.learn(sketch);
  }
  return drafted.map((usage) => {
    const places = placesOf.get(usage.offer?.provider) ?? new PlaceValues();
    return draftContract(usage, { all, places });
  });
}

function documentOf(
  drafted: readonly ToolUsage[],
  contracts: readonly ContractDraft[],
  agents: readonly string[],
  parts: readonly ContractDraft[],
): JsonObject {
  const tools = drafted.map(({ tool }, index) => [tool, contracts[index]?.value ?? {}]);
  return {
    version: 1,
    mode: 'observe',
    tools: Object.fromEntries(tools),
    agents: Object.fromEntries(agents.map((name, index) => [name, parts[index]?.value ?? {}])),
  };
}

function draftAgent(name: string, all: readonly ToolUsage[], coding: CodingUsage): ContractDraft {
  const own = all.filter(({ agents }) => agents.has(`agent:${name}`));
  const remark: Remark = {
    path: ['agents', name],
    text: `DRAFT: used these ${own.length} tools, so no other is granted; no budget yet`,
  };
  const roles = coding.agents.has(`agent:${name}`) ? { roles: ['coding-agent'] } : {};
  return { value: { ...roles, tools: own.map(({ tool }) => tool) }, remarks: [remark] };
}

function headingOf(drafted: readonly ToolUsage[], { from, until, coding }: CallHistory): string {
  const times = drafted.reduce((sum, sighting) => sum + sighting.times, coding.times);
  const [begin, end] = [from, until].map((at) => new Date(at).toISOString());
  const unused = drafted.filter((usage) => usage.times === 0).length;
  return [
    `A draft, made from ${times} calls${times > 0 ? ` between ${begin} and ${end}` : ''}.`,
    ...(unused > 0 ? [`${unused} tools are offered and were never used; no agent has them.`] : []),
    'It allows the observed calls, with bounds by the kind of each argument. It cannot know what is right.',
    'Read it, correct it, write cases for it, then run: surety policy enforce.',
  ].join('\n');
}

const nameOf = (actor: string): string => actor.replace(/^agent:/, '');

interface CallHistory {
  readonly usages: ReadonlyMap<string, ToolUsage>;
  readonly coding: CodingUsage;
  /** The number of calls whose arguments were destroyed. */
  readonly forgotten: number;
  readonly from: Instant;
  readonly until: Instant;
}

/** The recorded calls of agents that were observed or granted. */
async function readHistory(
  source: StoreReader,
  offers: readonly ToolOffer[],
): Promise<CallHistory> {
  const sightings = new Map(
    offers.map((offer) => [offer.tool, new ToolUsage(offer.tool, false, offer)]),
  );
  const committed = new Map<string, Set<string>>();
  const coding = new CodingUsage();
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
      else if (isCodingCall(String(entry.body.tool), given)) coding.add(entry.actor, given);
      else addCall(entry, given, sightings, committed);
      from ||= entry.at;
      until = entry.at;
    }
  }
  return { usages: sightings, coding, forgotten, from, until };
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
