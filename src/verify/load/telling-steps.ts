import { hopsByRequest, neededSteps, type Step } from '../measure/index.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import type { LoadArm } from './load-arm.ts';

/**
 * Each scenario once, by one client: of those that come to a changed service, what has to be sent
 * for that. The rest would only put load on others. All of them where none comes there.
 */
export async function tellingSteps(
  arm: LoadArm,
  scenarios: readonly (readonly Step[])[],
  services: readonly string[],
): Promise<(readonly Step[])[]> {
  const telling: Step[][] = [];
  for (const steps of scenarios) {
    const requests = await requestsTo(services, arm, steps);
    telling.push(neededSteps(steps, ({ request }) => requests.has(request)));
  }
  const different = new Map(telling.map((steps) => [steps.map(saidBy).join('\n'), steps]));
  const wanted = [...different.values()].filter((steps) => steps.length > 0);
  return wanted.length > 0 ? wanted : [...scenarios];
}

async function requestsTo(
  services: readonly string[],
  arm: LoadArm,
  steps: readonly Step[],
): Promise<ReadonlySet<ScenarioRequest>> {
  await arm.newHops();
  const samples = await arm.runSession(steps);
  const hops = hopsByRequest(await arm.newHops());
  const isTelling = (id: string): boolean =>
    hops.get(id)?.some(({ to }) => services.includes(to)) ?? false;
  return new Set(samples.filter(({ id }) => isTelling(id)).map(({ request }) => request));
}

/** The same path through the system need not be gone twice, whichever suites go it. */
export function saidBy({ request: { method, path, body }, carried }: Step): string {
  let said = `${method} ${path} ${body?.toString('utf8') ?? ''}`;
  for (const { value } of carried) said = said.replaceAll(value, '(carried)');
  return said;
}
