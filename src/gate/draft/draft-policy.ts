import { type Remark, writeText } from '../../document/index.ts';
import { fault, type Instant, type Json, type JsonObject } from '../../kernel/index.ts';
import { type Entry, readContent, readEntry, type StoreReader } from '../../ledger/index.ts';
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
 * Drafts contracts and agents from recorded calls. The draft is in observe mode, so it refuses
 * nothing.
 */
export async function draftPolicy(source: StoreReader): Promise<PolicyDraft> {
  const seen = await readHistory(source);
  const all = [...seen.usages.values()].sort((one, other) => (one.tool < other.tool ? -1 : 1));
  const named = all.filter(({ tool }) => toolPattern.test(tool));
  const drafted = named.filter(({ isNative }) => !isNative);
  if (named.length === 0) throw fault('DRAFT_EMPTY', {});
  const contracts = drafted.map((sighting) => draftContract(sighting, seen.usages));
  const names = [...new Set(all.flatMap(({ agents }) => [...agents].map(nameOf)))].sort();
  const agents = names.filter((name) => agentPattern.test(name));
  const parts = agents.map((name) => draftAgent(name, named));
  const text = writeText(documentOf(drafted, contracts, agents, parts), {
    heading: headingOf(drafted, seen.from, seen.until),
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

function draftAgent(name: string, all: readonly ToolUsage[]): ContractDraft {
  const own = all.filter(({ agents }) => agents.has(`agent:${name}`));
  const remark: Remark = {
    path: ['agents', name],
    text: `DRAFT: used these ${own.length} tools; no budget yet`,
  };
  return { value: { tools: own.map(({ tool }) => tool) }, remarks: [remark] };
}

function headingOf(drafted: readonly ToolUsage[], from: number, until: number): string {
  const times = drafted.reduce((sum, sighting) => sum + sighting.times, 0);
  const [begin, end] = [from, until].map((at) => new Date(at).toISOString());
  return [
    `A draft, made from ${times} calls between ${begin} and ${end}.`,
    'It allows the observed calls, with bounds rounded outward. It cannot know what is right.',
    'Read it, correct it, write cases for it, then run: surety policy enforce.',
  ].join('\n');
}

const nameOf = (actor: string): string => actor.replace(/^agent:/, '');

interface CallHistory {
  readonly usages: ReadonlyMap<string, ToolUsage>;
  /** The number of calls whose arguments were destroyed. */
  readonly forgotten: number;
  readonly from: Instant;
  readonly until: Instant;
}

/** The recorded calls of agents that were observed or granted. */
async function readHistory(source: StoreReader): Promise<CallHistory> {
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

interface ContractDraft {
  readonly value: JsonObject;
  readonly remarks: readonly Remark[];
}

const orderTimesMin = 3;
const readerName =
  /(?:^|[._/:-])(?:get|list|read|find|search|show|view|query|describe|fetch|count)/i;

/** A contract that every recorded call satisfies. */
function draftContract(sighting: ToolUsage, all: ReadonlyMap<string, ToolUsage>): ContractDraft {
  const { tool, times, agents, arguments: sketch, minuteMax } = sighting;
  const at = ['tools', tool];
  const who = [...agents].map(nameOf).sort().join(', ');
  const orders = ordersOf(sighting, all);
  const fields = [...sketch.fields].map(([name, field]) => ({
    path: [...at, 'arguments', 'properties', name],
    text: field.support(times),
  }));
  return {
    value: {
      effect: 'mutating',
      arguments: { properties: {}, ...sketch.schema() },
      ...(orders.length > 0 ? { invariants: orders.map(orderRule) } : {}),
      governance: { rate: [{ max: 2 * minuteMax, per: '1m', by: 'agent' }] },
    },
    remarks: [
      { path: at, text: `DRAFT: seen ${times} times, ${agents.size} agents (${who})` },
      { path: [...at, 'effect'], text: effectRemark(tool) },
      ...fields,
      ...orders.map((before, index) => ({
        path: [...at, 'invariants', index],
        text: `${before} was committed before, all ${times} times; the rule only warns while it is soft`,
      })),
      {
        path: [...at, 'governance', 'rate'],
        text: `twice the highest observed rate: ${minuteMax} calls of one agent in one minute`,
      },
    ],
  };
}

/**
 * A recorded call does not show whether it changes something, so the draft assumes that it does.
 */
function effectRemark(tool: string): string {
  const careful = 'calls do not show whether it changes anything, so mutating is the safe choice';
  if (!readerName.test(tool))
    return `${careful}; write idempotent if repeating it has no further effect`;
  return `${careful}. Its name suggests a read: if it changes nothing, write read`;
}

/**
 * Tools that came before every call. Once or twice is a coincidence, and native tools have their
 * own order.
 */
function ordersOf(
  { tool, before, times }: ToolUsage,
  all: ReadonlyMap<string, ToolUsage>,
): string[] {
  if (times < orderTimesMin) return [];
  return [...(before ?? [])]
    .filter((one) => one !== tool && all.get(one)?.isNative === false)
    .sort();
}

function orderRule(before: string): Record<string, Json> {
  const name = before.toLowerCase().replace(/[^a-z0-9.-]+/g, '-');
  const message = `${before} has always come first so far.`;
  const remedy = `Call ${before} first.`;
  return {
    rule: `after-${name}`.slice(0, 64),
    that: `${JSON.stringify(before)} in seen`,
    message,
    remedy,
    soft: true,
  };
}
