import {
  type CarriedValue,
  findCarried,
  type IsSafe,
  type Scenario,
  type ScenarioRequest,
} from '../traffic/index.ts';

/** A request of a scenario, and what it needs from earlier answers. */
export interface ScenarioStep {
  readonly request: ScenarioRequest;
  /** Its place in the scenario. */
  readonly number: number;
  readonly carried: readonly CarriedValue[];
}

/** By scenario, the steps that are safe to send. */
export function stepsOf(scenarios: readonly Scenario[], isSafe: IsSafe): ScenarioStep[][] {
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

/** The relevant steps, and the earlier steps whose answers they need. */
export function neededSteps(
  steps: readonly ScenarioStep[],
  isRelevant: (step: ScenarioStep) => boolean,
): ScenarioStep[] {
  const needed = new Set<number>();
  for (const step of steps.toReversed()) {
    if (!needed.has(step.number) && !isRelevant(step)) continue;
    needed.add(step.number);
    for (const { from } of step.carried) needed.add(from);
  }
  return steps.filter(({ number }) => needed.has(number));
}
