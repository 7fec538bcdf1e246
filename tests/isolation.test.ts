import { expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { runCampaign } from './isolation/campaign.ts';
import { planStrangers, planSystem, type SystemPlan } from './isolation/plan.ts';

/** Usually a few small ones that have every protocol, lanes that end, and clients nobody knows. */
const seeds = isDeep ? Array.from({ length: 300 }, (_, seed) => seed) : [0, 1, 7];
const systems = seeds.length;

/** Many systems count for more than many requests; the campaign has both. */
const requestsOfEach = 10;

/** Of what chance brings about rarely, there are enough. */
function planOf(seed: number): SystemPlan {
  const plan = seed % 10 === 0 ? planStrangers(seed) : planSystem(seed);
  return { ...plan, requests: plan.requests.slice(0, requestsOfEach) };
}

// proves: lanes.isolation
test(`no request of ${systems} random systems is served by a wrong instance`, async () => {
  const campaign = await runCampaign(0, systems, undefined, (index) =>
    planOf(seeds[index] as number),
  );
  expect(campaign.problems).toEqual([]);
  // A campaign in which little happened would prove little.
  expect(campaign.systems).toBe(systems);
  expect(campaign.keyed).toBeGreaterThan(systems * 10);
  expect(campaign.unkeyed).toBeGreaterThan(systems * 10);
}, 1_800_000);
