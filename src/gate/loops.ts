import {
  type Actor,
  canonicalJson,
  type Instant,
  type Json,
  type JsonObject,
  sha256,
} from '../kernel/index.ts';
import type { Entry, Projection, ReadRows } from '../ledger/index.ts';
import type { CompiledAgent } from './language/index.ts';
import { gateLimits } from './limits.ts';

/**
 * The last calls of an agent that were allowed and may change something, on any task. Reads and
 * denied proposals are left out: neither of them is a reason to make the same call once more.
 */
export type LoopRow = { readonly calls: readonly string[] };

export interface RecentCall {
  readonly tool: string;
  /** Tool and arguments in the form in which calls are compared. */
  readonly name: string;
  readonly at: Instant;
  /** The code of the fault that it failed with; empty if it did not fail. */
  readonly code: string;
}

/** People and Surety itself may repeat themselves. */
export function loopKey(actor: Actor | string): string | undefined {
  return actor.startsWith('agent:') ? `loops/${actor}` : undefined;
}

/** Oldest first; calls longer ago than the window are no part of a loop. */
export function recentCalls(rows: ReadRows, actor: Actor, now: Instant): RecentCall[] {
  return callsOf(rows, actor)
    .map(readCall)
    .filter(({ at }) => now - at < gateLimits.loopMs);
}

/**
 * Whether the call was made before, or its tool failed last. Most calls are new, and looking for
 * this in the stored texts is cheaper than reading them.
 */
export function mayLoop(rows: ReadRows, actor: Actor, tool: string, name: string): boolean {
  const calls = callsOf(rows, actor);
  const end = name.length - 1;
  const endCode = name.charCodeAt(end);
  // The last character of the hash tells most calls apart, in a tenth of the time.
  if (calls.some((text) => text.charCodeAt(end) === endCode && text.startsWith(name))) return true;
  const last = calls.findLast((text) => text.startsWith(`${tool} `));
  return last !== undefined && readCall(last).code !== '';
}

function callsOf(rows: ReadRows, actor: Actor): readonly string[] {
  const key = loopKey(actor);
  return key === undefined ? [] : (rows.get<LoopRow>(key)?.calls ?? []);
}

export const callName = (tool: string, call: string): string => `${tool} ${call}`;

/** One short text per call, because the row is rewritten with each of them. */
function readCall(text: string): RecentCall {
  const [tool = '', call = '', at = '', , code = ''] = text.split(' ');
  return { tool, name: callName(tool, call), at: Number.parseInt(at, 36), code };
}

/**
 * Identifies the arguments of a call among those of other calls: the same for arguments that
 * differ only in white space, Unicode form, or in a default that is written out.
 */
export function callHash(given: JsonObject, argumentsHash: string, schema: JsonObject): string {
  const plain = withoutDefaults(plainText(given) as JsonObject, schema);
  const hash = plain === given ? argumentsHash : sha256(canonicalJson(plain));
  return hash.slice(0, 16);
}

/** ASCII words with single blanks between them. */
const plainWords = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** Whether there is nothing to change, which is usual. */
function isPlain(value: Json): boolean {
  if (typeof value === 'string') return plainWords.test(value);
  if (value === null || typeof value !== 'object') return true;
  for (const name in value) if (!isPlain((value as JsonObject)[name] as Json)) return false;
  return true;
}

function plainText(value: Json): Json {
  if (isPlain(value)) return value;
  if (typeof value === 'string') return value.normalize('NFC').replace(/\s+/g, ' ').trim();
  if (Array.isArray(value)) return value.map(plainText);
  const items = Object.entries(value as JsonObject).map(([name, item]) => [name, plainText(item)]);
  return Object.fromEntries(items) as JsonObject;
}

/** The declared defaults of arguments, by schema: most have none. */
const defaults = new WeakMap<JsonObject, readonly (readonly [string, string])[]>();

function defaultsOf(schema: JsonObject): readonly (readonly [string, string])[] {
  const known = defaults.get(schema);
  if (known) return known;
  const declared = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  const found = declared.flatMap(([name, { default: usual }]) => {
    return usual === undefined ? [] : [[name, canonicalJson(usual)] as const];
  });
  defaults.set(schema, found);
  return found;
}

function withoutDefaults(given: JsonObject, schema: JsonObject): JsonObject {
  const usual = defaultsOf(schema).filter(([name, value]) => {
    return Object.hasOwn(given, name) && canonicalJson(given[name] as Json) === value;
  });
  if (usual.length === 0) return given;
  const names = new Set(usual.map(([name]) => name));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name)));
}

/** The end of an id is a counter, which is unique among the calls of one row. */
const shortId = (proposal: Json | undefined): string => String(proposal).slice(-10);

/** The row as it was before a proposal was granted. */
export function withoutCall({ calls }: LoopRow, proposal: string): LoopRow {
  const id = shortId(proposal);
  return { calls: calls.filter((text) => text.split(' ')[3] !== id) };
}

export const loops: Projection = {
  kinds: ['proposal-granted', 'proposal-failed', 'proposal-reconciled', 'proposal-compensated'],
  keys: (entry) => keyOf(entry) ?? [],
  apply: (rows, entry) => {
    for (const key of keyOf(entry) ?? []) {
      const calls = rows.get<LoopRow>(key)?.calls ?? [];
      rows.set(key, {
        calls: entry.kind === 'proposal-granted' ? begin(calls, entry) : end(calls, entry),
      });
    }
  },
};

const callsKeptMin = 24;

/** How many calls of an agent its limits need. */
export function callsKept({ limits }: CompiledAgent): number {
  const { sameProposal, sameError, cycle } = limits;
  const cycleCalls = gateLimits.cycleLengthMax * (cycle + 1);
  return Math.max(callsKeptMin, sameProposal, sameError, cycleCalls);
}

function keyOf({ kind, actor, body }: Entry): string[] | undefined {
  const key = kind === 'proposal-granted' && body.call ? loopKey(actor) : body.loops;
  return key === undefined ? undefined : [String(key)];
}

function begin(calls: readonly string[], { at, body }: Entry): string[] {
  // Entries of earlier versions do not say how many calls are kept.
  const kept = calls.slice(1 - Number(body.callsKept ?? callsKeptMin));
  return [...kept, `${body.tool} ${body.call} ${at.toString(36)} ${shortId(body.proposal)}`];
}

function end(calls: readonly string[], { kind, body }: Entry): readonly string[] {
  const id = shortId(body.proposal);
  const index = calls.findLastIndex((text) => text.split(' ')[3] === id);
  if (index < 0) return calls;
  const hasFailed = kind !== 'proposal-reconciled' || body.as !== 'committed';
  const call = (calls[index] as string).split(' ').slice(0, 4).join(' ');
  return calls.with(index, hasFailed ? `${call} ${body.code ?? '-'}` : call);
}
