import { expect, test } from 'vitest';
import { runs } from './harness/deep.ts';
import { runCampaign } from './isolation/campaign.ts';
import { planStrangers, planSystem, type SystemPlan } from './isolation/plan.ts';

const systems = runs(16, 300);

/** Many systems count for more than many requests; the campaign has both. */
const requestsOfEach = 10;

/** Of what chance brings about rarely, there are enough. */
function planOf(seed: number): SystemPlan {
  const plan = seed % 10 === 0 ? planStrangers(seed) : planSystem(seed);
  return { ...plan, requests: plan.requests.slice(0, requestsOfEach) };
}

// proves: lanes.isolation
test(`no request of ${systems} random systems is served by a wrong instance`, async () => {
  const campaign = await runCampaign(0, systems, undefined, planOf);
  expect(campaign.problems).toEqual([]);
  // A campaign in which little happened would prove little.
  expect(campaign.systems).toBe(systems);
  expect(campaign.keyed).toBeGreaterThan(systems * 20);
  expect(campaign.unkeyed).toBeGreaterThan(systems * 20);
}, 600_000);
