import { setTimeout as delay } from 'node:timers/promises';
import type { Hop, Lane, Routes } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import {
  chooseReplay,
  type GivenRequest,
  givenScenarios,
  type Recorded,
  type Replay,
  type Scenario,
  Sender,
  safetyOf,
  sendScenario,
} from '../traffic/index.ts';

/** What suites have sent to the version that runs, and where it went. */
export interface SentBySuites {
  readonly scenarios: readonly Scenario[];
  readonly hops: readonly Hop[];
}

export type MakeReplay = (sent: SentBySuites) => Replay;

/** What is sent besides what suites ask. */
export interface Besides {
  readonly recorded: Recorded | undefined;
  readonly given: readonly GivenRequest[] | undefined;
}

/** Chosen once, after the first suites: all rounds send the same. */
export function replayOnce(
  { recorded, given }: Besides,
  lanes: readonly Lane[],
  config: Config,
): MakeReplay {
  let chosen: Replay | undefined;
  return ({ scenarios: suites, hops }) => {
    if (chosen) return chosen;
    const isSafe = safetyOf(config, lanes, hops);
    const replay = recorded ? chooseReplay(recorded, { suites, isSafe }) : nothing;
    const own = givenScenarios(given).map(({ name, requests }) => ({
      name,
      requests: requests.filter(isSafe),
    }));
    chosen = { ...replay, scenarios: [...replay.scenarios, ...own] };
    return chosen;
  };
}

const nothing: Replay = { scenarios: [], remarks: [], unsent: [] };

const looksMax = 20;
const lookEveryMs = 5;
let sent = 0;

/** Sends it to one lane, and waits until the router knows of the last request, too. */
export async function replayOn({ lane }: Lane, scenario: Scenario, routes: Routes): Promise<void> {
  const sender = new Sender(await routes.address(), lane);
  try {
    const last = await sendScenario(scenario, sender, () => `${lane}-recorded-${++sent}`);
    for (let look = 0; last !== undefined && look < looksMax; look++) {
      const hops = await routes.hops(lane);
      if (hops.some(({ from, requestId }) => from === null && requestId === last)) return;
      await delay(lookEveryMs);
    }
  } finally {
    sender.close();
  }
}
