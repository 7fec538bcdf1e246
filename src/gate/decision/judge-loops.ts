import { type Instant, showInstant } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import type { RuleFinding } from '../api-schema.ts';
import { gateLimits } from '../limits.ts';
import { callName, mayLoop, type RecentCall, recentCalls } from '../loops.ts';
import { readTrajectory, stepName, trajectoryKey } from '../trajectory.ts';
import type { Assessment } from './assess.ts';
import { type DecisionInput, deny } from './question.ts';

/** Detects an agent that repeats itself, before it pays for each round. */
export function judgeLoops(
  { agent, actor, tool }: DecisionInput,
  { call }: Pick<Assessment, 'call'>,
  rows: ReadRows,
  now: Instant,
): RuleFinding[] {
  // Repeated reads change nothing and are the usual way to wait; they have no `call`.
  if (!agent || call === undefined) return [];
  const here = callName(tool, call);
  if (!mayLoop(rows, actor, tool, here)) return [];
  const calls = recentCalls(rows, actor, now);
  const { sameProposal, sameError, cycle } = agent.limits;
  const said: RuleFinding[] = [];
  const same = tailOf(calls, ({ name }) => name === here);
  if (same.length >= sameProposal) {
    const reason = `the same call was made ${same.length} times in a row`;
    const remedy = 'Use the outcome that you have, or do something else first.';
    said.push(denyUntil(same, sameProposal, 'loop.proposal', reason, remedy));
  }
  const failed = failuresOf(calls, tool);
  if (failed.length >= sameError) {
    const reason = `${tool} has failed ${failed.length} times in a row with ${failed[0]?.code}`;
    const remedy = 'Find the cause first, perhaps with another tool.';
    said.push(denyUntil(failed, sameError, 'loop.error', reason, remedy));
  }
  const rounds = roundsOf(calls, here);
  if (rounds > cycle) {
    const reason = `the last calls repeat the same steps ${rounds} times`;
    const remedy = 'Stop and ask a person; repeating the steps changes nothing.';
    said.push(denyUntil(calls, calls.length, 'loop.cycle', reason, remedy));
  }
  return said;
}

/** Denied until so many of the calls are no longer recent that the rest is within the limit. */
function denyUntil(
  calls: readonly RecentCall[],
  limit: number,
  rule: string,
  reason: string,
  remedy: string,
): RuleFinding {
  const retryAt = (calls[calls.length - limit]?.at ?? 0) + gateLimits.loopMs;
  const later = `The same call is possible again at ${showInstant(retryAt)}.`;
  return deny(rule, reason, `${remedy} ${later}`, { retryAt });
}

/** How often the same proposal was denied, within the kept part of the trajectory. */
export function repeatsOf(question: DecisionInput, rows: ReadRows): number {
  const { actor, task, tool, argumentsHash } = question;
  const { steps } = readTrajectory(rows, trajectoryKey(rows, actor, task));
  const here = `${stepName(tool, argumentsHash)}denied `;
  return steps.filter((text) => text.startsWith(here)).length;
}

function tailOf(
  calls: readonly RecentCall[],
  isOne: (call: RecentCall) => boolean,
): readonly RecentCall[] {
  return calls.slice(calls.findLastIndex((call) => !isOne(call)) + 1);
}

/** The last failures of a tool in a row, all with the code of the newest one. */
function failuresOf(calls: readonly RecentCall[], tool: string): readonly RecentCall[] {
  const own = calls.filter((call) => call.tool === tool);
  const code = own.at(-1)?.code ?? '';
  return code === '' ? [] : tailOf(own, (call) => call.code === code);
}

/**
 * The largest number of times that the calls, with this one, end in the same repeated pattern. A
 * call twice in a row counts once: if one call of a cycle is denied, the next one repeats itself.
 */
function roundsOf(calls: readonly RecentCall[], here: string): number {
  const all = [...calls.map(({ name }) => name), here];
  const names = all.filter((name, index) => name !== all[index - 1]);
  let most = 0;
  for (let length = 2; length <= gateLimits.cycleLengthMax && length < names.length; length++) {
    if (names[names.length - 1 - length] !== here) continue;
    most = Math.max(most, timesAtEnd(names, names.slice(-length)));
  }
  return most;
}

function timesAtEnd(names: readonly string[], pattern: readonly string[]): number {
  let times = 0;
  for (let end = names.length; end >= pattern.length; end -= pattern.length) {
    const part = names.slice(end - pattern.length, end);
    if (!part.every((name, index) => name === pattern[index])) break;
    times++;
  }
  return times;
}
