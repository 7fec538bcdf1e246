import { hopsByRequest, neededSteps, type ScenarioStep } from '../measure/index.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import type { LoadArm } from './load-arm.ts';

/**
 * The steps of each scenario that reach a changed service, and those that they need; found by
 * running each scenario once. The rest would only put load on others. All scenarios if none does.
 */
export async function relevantSteps(
  arm: LoadArm,
  scenarios: readonly (readonly ScenarioStep[])[],
  services: readonly string[],
): Promise<(readonly ScenarioStep[])[]> {
  const relevant: ScenarioStep[][] = [];
  for (const steps of scenarios) {
    const requests = await requestsTo(services, arm, steps);
    relevant.push(neededSteps(steps, ({ request }) => requests.has(request)));
  }
  const different = new Map(relevant.map((steps) => [steps.map(requestContent).join('\n'), steps]));
  const wanted = [...different.values()].filter((steps) => steps.length > 0);
  return wanted.length > 0 ? wanted : [...scenarios];
}

async function requestsTo(
  services: readonly string[],
  arm: LoadArm,
  steps: readonly ScenarioStep[],
): Promise<ReadonlySet<ScenarioRequest>> {
  await arm.newHops();
  const samples = await arm.runSession(steps);
  const hops = hopsByRequest(await arm.newHops());
  const reaches = (id: string): boolean =>
    hops.get(id)?.some(({ to }) => services.includes(to)) ?? false;
  return new Set(samples.filter(({ id }) => reaches(id)).map(({ request }) => request));
}

/** Equal for requests that differ only in values from earlier answers, whoever sends them. */
export function requestContent({ request: { method, path, body }, carried }: ScenarioStep): string {
  let content = `${method} ${path} ${body?.toString('utf8') ?? ''}`;
  for (const { value } of carried) content = content.replaceAll(value, '(carried)');
  return content;
}
