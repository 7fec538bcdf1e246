import type { Json, JsonObject } from '../../kernel/index.ts';
import type { Entry } from '../../ledger/index.ts';
import { letterOf } from './categories.ts';
import { addToContract } from './compliance.ts';
import { addLetter, addNamed, addScalar, type Behaviour } from './state.ts';

/** A call of the agent ended. */
export function observeOutcome(state: Behaviour, entry: Entry): void {
  const { kind, body, seq } = entry;
  const outcome = kind.slice('proposal-'.length);
  addNamed(state, 'outcomes', body.code === undefined ? outcome : `${outcome} ${body.code}`, seq);
  addScalar(state, 'failures', outcome === 'committed' ? 0 : 1);
  const cost = costOf(body);
  if (cost !== undefined) {
    const size = Math.log2(1 + cost);
    addLetter(state, 'costs', letterOf(Math.min(costLettersMax, Math.round(size))), seq);
    addScalar(state, 'cost', Math.min(1, size / costLettersMax));
  }
  if (hasResultViolation(entry)) breakByResult(state, String(body.tool));
}

/** One letter per power of two. */
const costLettersMax = 53;

/** What the call really cost in its first dimension besides `calls`. */
function costOf({ settled }: JsonObject): number | undefined {
  if (!Array.isArray(settled)) return undefined;
  const charge = (settled as readonly JsonObject[]).find(({ budget }) => isCost(budget));
  return charge === undefined ? undefined : Math.max(0, Number(charge.actual));
}

const isCost = (budget: Json | undefined): boolean => !/^calls(?:\/|$)/.test(String(budget));

/** A rule about the result failed: the call has happened. */
export function hasResultViolation({ body }: Entry): boolean {
  return Array.isArray(body.violations) && body.violations.length > 0;
}

function breakByResult(state: Behaviour, tool: string): void {
  const { now, past } = state;
  now.totals = { ...now.totals, hard: now.totals.hard + 1 };
  state.past = { ...past, contracts: addToContract(past.contracts, tool, 'H') };
}
