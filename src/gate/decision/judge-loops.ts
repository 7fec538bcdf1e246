import type { ReadRows } from '../../ledger/index.ts';
import type { RuleFinding } from '../api-schema.ts';
import { readStep, readTrajectory, stepName, trajectoryKey } from '../trajectory.ts';
import { type DecisionInput, deny } from './question.ts';

const cycleLengthMax = 8;

/**
 * Detects an agent that repeats itself, before it pays for each round. Steps are compared in their
 * stored text form, because this runs for every proposal.
 */
export function judgeLoops(question: DecisionInput, rows: ReadRows): RuleFinding[] {
  const { agent, tool, contract } = question;
  // Repeated reads change nothing and are the usual way to wait.
  if (!agent || !contract || contract.effect === 'read') return [];
  const steps = stepsOf(question, rows);
  if (steps.length === 0) return [];
  const { sameProposal, sameError, cycle } = agent.limits;
  const here = stepName(tool, question.argumentsHash);
  const said: RuleFinding[] = [];
  const again = sameProposal === null ? 0 : tailOf(steps, here);
  if (sameProposal !== null && again >= sameProposal) {
    const reason = `the same call was made ${again} times in a row`;
    said.push(
      deny('loop.proposal', reason, 'Use the outcome that you have, or do something else first.'),
    );
  }
  const [failures, code] = sameError === null ? [0, ''] : sameErrors(steps, `${tool} `);
  if (sameError !== null && failures >= sameError) {
    const reason = `${tool} has failed ${failures} times in a row with ${code}`;
    said.push(deny('loop.error', reason, 'Find the cause first, perhaps with another tool.'));
  }
  const rounds = cycle === null ? 0 : roundsOf(steps, here);
  if (cycle !== null && rounds > cycle) {
    const reason = `the last calls repeat the same steps ${rounds} times`;
    said.push(
      deny('loop.cycle', reason, 'Stop and ask a person; repeating the steps changes nothing.'),
    );
  }
  return said;
}

/** How often the same proposal was denied, within the kept part of the trajectory. */
export function repeatsOf(question: DecisionInput, rows: ReadRows): number {
  const steps = stepsOf(question, rows);
  if (steps.length === 0) return 0;
  const here = stepName(question.tool, question.argumentsHash);
  return steps.filter((text) => text.startsWith(`${here}denied `)).length;
}

function stepsOf({ actor, task }: DecisionInput, rows: ReadRows): readonly string[] {
  return readTrajectory(rows, trajectoryKey(rows, actor, task)).steps;
}

function tailOf(steps: readonly string[], here: string): number {
  const isSame = (text: string): boolean =>
    text.startsWith(here) && !text.startsWith('denied ', here.length);
  return steps.length - 1 - steps.findLastIndex((text) => !isSame(text));
}

function sameErrors(steps: readonly string[], tool: string): [number, string] {
  let times = 0;
  let code = '';
  for (let index = steps.length - 1; index >= 0; index--) {
    const text = steps[index] as string;
    if (!text.startsWith(tool)) continue;
    const step = readStep(text);
    if (step.outcome === 'denied') continue;
    if (step.outcome !== 'failed' || (times > 0 && step.code !== code)) break;
    code = step.code;
    times++;
  }
  return [times, code];
}

/** The largest number of times that the steps, with this one, end in the same repeated pattern. */
function roundsOf(steps: readonly string[], here: string): number {
  let most = 0;
  for (let length = 2; length <= cycleLengthMax && length <= steps.length; length++) {
    if (!steps[steps.length - length]?.startsWith(here)) continue;
    const names = [...steps.map(nameOf), here];
    const pattern = names.slice(-length);
    if (new Set(pattern).size > 1) most = Math.max(most, timesAtEnd(names, pattern));
  }
  return most;
}

function nameOf(text: string): string {
  return text.slice(0, text.indexOf(' ', text.indexOf(' ') + 1) + 1);
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
