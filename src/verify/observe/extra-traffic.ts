import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Hop, Lane, Routes } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import {
  chooseReplay,
  type ExtraTraffic,
  type GivenRequest,
  givenScenarios,
  type Scenario,
  ScenarioSender,
  safetyOf,
  sendScenario,
  type TrafficRecording,
} from '../traffic/index.ts';

/** What suites sent to the control, and the calls that it led to. */
export interface SuiteTraffic {
  readonly scenarios: readonly Scenario[];
  readonly hops: readonly Hop[];
}

interface TrafficSources {
  readonly recorded: TrafficRecording | undefined;
  readonly given: readonly GivenRequest[] | undefined;
}

/** What to send in addition to the requests of the suites, as far as it is safe to repeat. */
export function chooseExtraTraffic(
  { recorded, given }: TrafficSources,
  { scenarios: suites, hops }: SuiteTraffic,
  { config, lanes }: { readonly config: Config; readonly lanes: readonly Lane[] },
): ExtraTraffic {
  const isSafe = safetyOf(config, lanes, hops);
  const chosen = recorded ? chooseReplay(recorded, { suites, isSafe }) : noExtraTraffic;
  const own = givenScenarios(given).map(({ name, requests }) => ({
    name,
    requests: requests.filter(isSafe),
  }));
  return { ...chosen, scenarios: [...chosen.scenarios, ...own] };
}

export const noExtraTraffic: ExtraTraffic = { scenarios: [], remarks: [], unsent: [] };

const looksMax = 20;
const lookEveryMs = 5;

/** Sends a scenario to one lane, and waits until the router has recorded the last request. */
export async function replayOn({ lane }: Lane, scenario: Scenario, routes: Routes): Promise<void> {
  const sender = new ScenarioSender(await routes.address(), lane);
  try {
    const last = await sendScenario(scenario, sender, () => randomUUID());
    for (let look = 0; last !== undefined && look < looksMax; look++) {
      const hops = await routes.hops(lane);
      if (hops.some(({ from, requestId }) => from === null && requestId === last)) return;
      await delay(lookEveryMs);
    }
  } finally {
    sender.close();
  }
}
