import type { Remark } from '../../document/index.ts';
import type { Json, JsonObject } from '../../kernel/index.ts';
import type { ToolUsage } from './tool-usage.ts';

export interface ContractDraft {
  readonly value: JsonObject;
  readonly remarks: readonly Remark[];
}

const orderTimesMin = 3;
const readerName =
  /(?:^|[._/:-])(?:get|list|read|find|search|show|view|query|describe|fetch|count)/i;

/** A contract that every recorded call satisfies. */
export function draftContract(
  sighting: ToolUsage,
  all: ReadonlyMap<string, ToolUsage>,
): ContractDraft {
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

const nameOf = (actor: string): string => actor.replace(/^agent:/, '');
