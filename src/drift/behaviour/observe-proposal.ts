import type { Entry } from '../../ledger/index.ts';
import { driftParameters } from '../parameters.ts';
import { isLetter } from './categories.ts';
import { addStep, addToContract } from './compliance.ts';
import { addLetter, addNamed, addScalar, type Behaviour } from './state.ts';
import { isRefusedForDrift, markOf, rulesOf, type StepMark } from './violations.ts';

/** An agent proposed a call, and the gate decided about it. */
export function observeProposal(state: Behaviour, entry: Entry): void {
  const { body, seq } = entry;
  addNamed(state, 'tools', String(body.tool), seq);
  // The gate marks the shape of the arguments and the target with one letter each.
  const [shape = '', target = ''] = String(body.behaviour ?? '');
  if (isLetter(shape)) addLetter(state, 'shapes', shape, seq);
  if (isLetter(target)) addLetter(state, 'targets', target, seq);
  const rules = rulesOf(body.rules);
  if (isRefusedForDrift(entry)) return;
  if (entry.kind === 'proposal-denied') {
    addNamed(state, 'outcomes', `denied ${rules[0] ?? ''}`, seq);
  }
  observeStep(state, String(body.tool), markOf(entry));
  observeRepeats(state, entry, rules);
}

function observeStep(state: Behaviour, tool: string, mark: StepMark): void {
  const { now } = state;
  now.marks = (now.marks + mark).slice(-driftParameters.scoreSteps);
  now.totals = addStep(now.totals, mark);
  if (mark !== '.') {
    const { past } = state;
    state.past = { ...past, contracts: addToContract(past.contracts, tool, mark) };
  }
  addScalar(state, 'violations', mark === '.' ? 0 : 1);
}

const callCharsMax = 8;

/** The same call among the last ones, also one that only reads: asking again is a loop, too. */
function observeRepeats(state: Behaviour, { body }: Entry, rules: readonly string[]): void {
  const call = `${body.tool} ${String(body.argumentsHash).slice(0, callCharsMax)}`;
  const { calls } = state.now;
  const isRepeated = calls.includes(call) || rules.some(isLoopRule);
  state.now.calls = [...calls.slice(1 - driftParameters.repeatCalls), call];
  addScalar(state, 'repeats', isRepeated ? 1 : 0);
}

const isLoopRule = (rule: string): boolean => rule.startsWith('loop.');
