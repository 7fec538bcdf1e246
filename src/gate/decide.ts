import type { JsonObject } from '../kernel/index.ts';
import type { PolicyRow } from './policy.ts';
import { type Phase, repairsMax, type TaskRow } from './task.ts';

export type Decision =
  | { readonly verdict: 'allow' }
  | {
      readonly verdict: 'deny';
      readonly rule: string;
      readonly reason: string;
      readonly remedy: string;
    };

/** What a proposal says about itself, on the chain for good. */
export interface ProposalFacts {
  readonly actor: string;
  readonly tool: string;
  readonly facts: JsonObject;
}

/** What the gate knows at that moment. Recorded with the decision, so that it can be made again. */
export type DecisionInputs = {
  readonly policy: PolicyRow | null;
  readonly task: TaskRow | null;
};

/**
 * Whether a proposal may be executed. Reads no clock, network or database. People at this machine
 * and Surety itself may use what they offer; an agent only what the policy gives it. Whoever works
 * on a task keeps to its phases.
 */
export function decide(proposal: ProposalFacts, inputs: DecisionInputs): Decision {
  return judgeAuthority(proposal, inputs) ?? judgePhase(proposal, inputs) ?? { verdict: 'allow' };
}

function judgeAuthority(
  { actor, tool }: ProposalFacts,
  { policy }: DecisionInputs,
): Decision | null {
  if (!actor.startsWith('agent:')) return null;
  const tools = policy?.agents[actor.slice('agent:'.length)]?.tools ?? [];
  if (tools.includes(tool)) return null;
  const reason = 'no policy gives it to this agent';
  const others = tools.length > 0 ? `These are yours: ${tools.join(', ')}.` : 'You have none.';
  const remedy = `Ask an operator to do it, or to add it under agents in surety.yaml. ${others}`;
  return deny('policy.tools', reason, remedy);
}

/** The tools that belong to a task, the phase in which each is due, and what comes before. */
const dueIn: Readonly<Record<string, Phase>> = {
  'test.submit': 'red',
  'change.propose': 'change',
  'task.verify': 'verify',
  'change.promote': 'promote',
};

const nextStep: Readonly<Record<Phase, string>> = {
  red: 'Submit a test that fails on the current system first: test.submit.',
  change: 'Propose a change: change.propose.',
  verify: 'Have the change verified: task.verify.',
  promote: 'Promote the change that passed: change.promote.',
  held: `${repairsMax} changes did not pass: a person has to look at this task.`,
  done: 'The task is finished. Open a new one: task.open.',
};

const missing: Readonly<Record<Phase, string>> = {
  red: 'there is no failing test yet',
  change: 'there is no change to go on with',
  verify: 'the change has no verdict yet',
  promote: 'a change has passed and waits for its promotion',
  held: 'the task waits for a person',
  done: 'the task is finished',
};

function judgePhase(
  { actor, tool, facts }: ProposalFacts,
  { task }: DecisionInputs,
): Decision | null {
  const due = Object.hasOwn(dueIn, tool) ? dueIn[tool] : undefined;
  if (due === undefined) return null;
  if (!task) return deny('task.needed', 'it belongs to a task', 'Open a task first: task.open.');
  if (task.agent !== actor) {
    return deny('task.owner', `the task belongs to ${task.agent}`, 'Work on a task of your own.');
  }
  if (task.phase !== due) return deny('task.phase', missing[task.phase], nextStep[task.phase]);
  return judgeChange(tool, facts, task);
}

/** A verdict is for exactly one change on exactly one base. */
function judgeChange(tool: string, facts: JsonObject, task: TaskRow): Decision | null {
  if (facts.base !== undefined && facts.base !== task.base) {
    const remedy = `Make it again on top of ${task.base}.`;
    return deny('task.base', 'it is not on the version that the task is about', remedy);
  }
  if (tool !== 'task.verify' && tool !== 'change.promote') return null;
  if (facts.change === task.change) return null;
  return deny('task.change', 'it is not the change that was admitted', nextStep[task.phase]);
}

function deny(rule: string, reason: string, remedy: string): Decision {
  return { verdict: 'deny', rule, reason, remedy };
}
