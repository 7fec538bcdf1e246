import { setTimeout as delay } from 'node:timers/promises';
import { FAILING_TEST } from './failing-test.ts';
import type { Journal } from './journal.ts';
import { repairDesign } from './repair.ts';
import type { Repository } from './repository.ts';
import { type Design, FIRST_DESIGN, GOAL, makePatch } from './statement-amount.ts';
import type { Answer, Toolbox } from './toolbox.ts';

export interface Ending {
  reached: boolean;
  why: string;
}

const STEPS = ['submit_test', 'propose_change', 'verify_change', 'promote_change'] as const;
type Step = (typeof STEPS)[number];

/** Where the agent is; everything in it comes from an answer, or is its own design. */
interface Work {
  task: string;
  base: string;
  design: Design;
  repairs: number;
  toolbox: Toolbox;
  repository: Repository;
}

const REPAIRS_MAX = 3;
const STEPS_MAX = 30;

/** Tries the change, does what it is told, and goes on until it is in or nobody can tell how. */
export async function work(
  toolbox: Toolbox,
  repository: Repository,
  journal: Journal,
): Promise<Ending> {
  const opened = await toolbox.call('open_task', { goal: GOAL });
  journal.step('open_task', `opened a task: ${GOAL}`, opened);
  if (opened.refused) return stop(opened);
  const { task, change } = opened.value as { task: string; change: { base: string } };
  const { base } = change;
  const state: Work = { task, base, design: FIRST_DESIGN, repairs: 0, toolbox, repository };

  let next: Step | Ending = 'propose_change';
  let lastRefusal = '';
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const { did, given } = await prepare(next, state);
    const answer = await toolbox.call(next, { task, ...given });
    journal.step(next, did, answer);
    // Whoever is refused the same thing for the same reason again has understood nothing.
    const refusal: string = isFinal(answer) ? `${next} ${answer.text}` : '';
    if (refusal !== '' && refusal === lastRefusal) return stop(answer);
    lastRefusal = refusal;
    next = answer.refused ? await afterRefusal(answer, state) : afterAnswer(next, answer, state);
    if (typeof next === 'object') return next;
  }
  return { reached: false, why: `Not there after ${STEPS_MAX} steps.` };
}

interface Prepared {
  did: string;
  given: Record<string, string>;
}

async function prepare(step: Step, { design, base, repository }: Work): Promise<Prepared> {
  if (step === 'submit_test') {
    return { did: `submitted the test ${FAILING_TEST.path}`, given: FAILING_TEST };
  }
  if (step === 'propose_change') {
    const patch = await makePatch(design, base, repository);
    const did = `proposed that pricing hands the text on in the field "${design.textField}"`;
    return { did, given: { patch } };
  }
  const did = step === 'verify_change' ? 'had the change verified' : 'had the change promoted';
  return { did, given: {} };
}

function afterAnswer(step: Step, { value }: Answer, state: Work): Step | Ending {
  if (step === 'submit_test') return 'propose_change';
  if (step === 'propose_change') return 'verify_change';
  if (step === 'verify_change') return afterVerdict(value, state);
  return { reached: true, why: `The change is promoted as ${value.commit}.` };
}

function afterVerdict({ verdict, reason, findings }: Answer['value'], state: Work): Step | Ending {
  if (verdict === 'pass') return 'promote_change';
  if (verdict !== 'fail') return { reached: false, why: `The verdict is ${verdict}: ${reason}.` };
  const repaired = repairDesign(state.design, findings);
  if (!repaired) return { reached: false, why: `No finding tells me what to repair: ${reason}.` };
  state.repairs += 1;
  if (state.repairs > REPAIRS_MAX) return { reached: false, why: `Still failing: ${reason}.` };
  state.design = repaired;
  return 'propose_change';
}

/** A remedy names the tool that has to come first, or somebody who has to look. */
async function afterRefusal(answer: Answer, state: Work): Promise<Step | Ending> {
  if (!isFinal(answer)) return afterInterruption(state);
  const { remedy } = answer.value;
  if (/\b(?:person|operator)\b/.test(String(remedy))) return stop(answer);
  return STEPS.find((step) => String(remedy).includes(step)) ?? stop(answer);
}

const PHASES: Record<string, Step> = {
  red: 'submit_test',
  change: 'propose_change',
  verify: 'verify_change',
  promote: 'promote_change',
};

const LOOK_EVERY_MS = 500;
const LOOKS_MAX = 120;

/** Whether the call got through is unknown: the task itself tells what comes next. */
async function afterInterruption({ task, toolbox }: Work): Promise<Step | Ending> {
  for (let looks = 1; ; looks += 1) {
    const answer = await toolbox.call('get_task', { task });
    const { change } = answer.value as { change?: { phase: string } };
    const phase = change?.phase ?? '';
    if (isFinal(answer) || looks === LOOKS_MAX) return stop(answer);
    if (phase === 'done') return { reached: true, why: 'The change is promoted.' };
    if (!answer.refused) return PHASES[phase] ?? { reached: false, why: answer.text };
    await delay(LOOK_EVERY_MS);
  }
}

/** Refused, and asking again would not help. */
function isFinal({ refused, value }: Answer): boolean {
  return refused && value.retryable !== true;
}

function stop({ value, text }: Answer): Ending {
  const { message, remedy } = value;
  return { reached: false, why: message ? `${message} ${remedy}` : text };
}
