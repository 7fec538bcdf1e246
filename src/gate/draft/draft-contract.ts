import type { Remark } from '../../document/index.ts';
import type { Json, JsonObject } from '../../kernel/index.ts';
import { compilePolicy } from '../language/index.ts';
import { type ArgumentsDraft, draftArguments } from './draft-arguments.ts';
import { draftEffect } from './draft-effect.ts';
import { isMany } from './kinds.ts';
import type { PlaceValues } from './place-values.ts';
import { roundUp } from './round.ts';
import type { ToolUsage } from './tool-usage.ts';

export interface ContractDraft {
  readonly value: JsonObject;
  readonly remarks: readonly Remark[];
}

export interface DraftContext {
  readonly all: ReadonlyMap<string, ToolUsage>;
  /** What the tools of the same provider were given. */
  readonly places: PlaceValues;
}

const orderTimesMin = 3;
const rateMin = 30;

/** A contract that every recorded call satisfies. */
export function draftContract(usage: ToolUsage, context: DraftContext): ContractDraft {
  const { tool, times, minuteMax } = usage;
  const at = ['tools', tool];
  const orders = ordersOf(usage, context.all);
  const { effect, reason } = draftEffect(tool, usage.offer);
  const given = argumentsOf(usage, context.places);
  const places = given.rules.map(({ isLong: _, argument: __, ...rule }): JsonObject => rule);
  const invariants = [...places, ...orders.map(orderRule)];
  const rate = Math.max(rateMin, roundUp(2 * minuteMax));
  const value = {
    effect,
    arguments: { properties: {}, ...given.schema },
    ...(invariants.length > 0 ? { invariants } : {}),
    ...(times > 0 ? { governance: { rate: [{ max: rate, per: '1m', by: 'agent' }] } } : {}),
  };
  return {
    value,
    remarks: [
      { path: at, text: headingOf(usage) },
      { path: [...at, 'effect'], text: reason },
      { path: [...at, 'arguments'], text: sourceOf(usage) },
      ...fieldRemarks(usage, given).map(({ path, text }) => ({ path: [...at, ...path], text })),
      ...orders.map((before, index) => ({
        path: [...at, 'invariants', places.length + index],
        text: `${before} was committed before, all ${times} times; the rule only warns while it is soft`,
      })),
      {
        path: [...at, 'governance', 'rate'],
        text: `the highest observed rate is ${minuteMax} calls of one agent in one minute`,
      },
    ],
  };
}

/** From the provider's schema if it fits, else from the calls alone. */
function argumentsOf(usage: ToolUsage, places: PlaceValues): ArgumentsDraft {
  const { offeredSchema, arguments: sketch } = usage;
  const schema = offeredSchema ?? (usage.times > 0 ? sketch.schema() : { type: 'object' });
  const draft = draftArguments(schema, sketch, places);
  return isValid(draft)
    ? draft
    : { ...draft, rules: [], unbounded: draft.rules.map(({ argument }) => argument) };
}

/** A rule over a schema that somebody else wrote may not compile, or may cost too much. */
function isValid({ schema, rules }: ArgumentsDraft): boolean {
  const invariants = rules.map(({ rule, that }) => ({ rule, that }));
  const tools = { tool: { effect: 'mutating', arguments: schema, invariants } };
  try {
    compilePolicy({ version: 1, tools });
    return true;
  } catch {
    return false;
  }
}

function headingOf({ times, agents, offer }: ToolUsage): string {
  if (times === 0) {
    return `DRAFT: offered by ${offer?.provider} and never used; no agent has it until you list it under an agent's tools`;
  }
  const who = [...agents].map(nameOf).sort().join(', ');
  return `DRAFT: seen ${times} times, ${agents.size} agents (${who})`;
}

function sourceOf(usage: ToolUsage): string {
  const { offer, offeredSchema, times } = usage;
  const wide = isMany(usage) ? '' : '; few calls, so bounds are wide';
  if (offeredSchema) {
    const narrowed = times === 0 ? '; no call to narrow it by' : `, narrowed by ${times} calls`;
    return `the schema of ${offer?.provider}${narrowed}${times === 0 ? '' : wide}`;
  }
  const unfit = offer ? `; the schema of ${offer.provider} does not fit them` : '';
  return `from ${times} calls alone${unfit}${wide}`;
}

function fieldRemarks({ arguments: sketch, times }: ToolUsage, draft: ArgumentsDraft): Remark[] {
  const names = Object.keys((draft.schema.properties ?? {}) as JsonObject);
  return names.flatMap((name) => {
    const field = sketch.fields.get(name);
    const given = field ? field.support(times) : times > 0 ? 'never given' : undefined;
    const open = draft.unbounded.some((one) => one === name || one.startsWith(`${name}.`))
      ? 'a path or an address that nothing bounds: write a rule if it matters'
      : undefined;
    const text = [given, open].filter((part) => part !== undefined).join('; ');
    return text === '' ? [] : [{ path: ['arguments', 'properties', name], text }];
  });
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

const nameOf = (actor: string): string => actor.replace(/^agent:/, '');
