import type { ScenarioRequest } from '../traffic/index.ts';
import { type Carried, findCarried, type IsSafe, type Scenario } from '../traffic/index.ts';

/** A request of a scenario that is sent again, and what it needs of answers before it. */
export interface Step {
  readonly request: ScenarioRequest;
  /** Its place in the scenario. */
  readonly number: number;
  readonly carried: readonly Carried[];
}

/** By scenario, those that may be sent. */
export function stepsOf(scenarios: readonly Scenario[], isSafe: IsSafe): Step[][] {
  return scenarios.map(({ requests }) => {
    const carried = findCarried(requests);
    const steps = requests.map((request, number) => ({
      request,
      number,
      carried: carried[number] ?? [],
    }));
    return steps.filter(({ request }) => isSafe(request));
  });
}

/** Those that tell something, and those before them whose answers they need. */
export function neededSteps(steps: readonly Step[], isTelling: (step: Step) => boolean): Step[] {
  const needed = new Set<number>();
  for (const step of steps.toReversed()) {
    if (!needed.has(step.number) && !isTelling(step)) continue;
    needed.add(step.number);
    for (const { from } of step.carried) needed.add(from);
  }
  return steps.filter(({ number }) => needed.has(number));
}
