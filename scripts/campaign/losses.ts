import { runPlantedLosses } from '../../tests/isolation/losses/planted-losses.ts';
import { say } from '../steps.ts';

/**
 * `npm run campaign -- losses 1000 [seed]`: so many keyed requests beside 50 without a key a
 * second, of which services lose every other key in several ways. Prints how many losses reach
 * names.
 */
export async function lossesCampaign([requests = '1000', seed = '1']: string[]): Promise<number> {
  const plan = { requests: Number(requests), unkeyedPerSecond: 50, seed: Number(seed) };
  const counts = await runPlantedLosses(plan);
  const { lost, named, falselyNamed, doubted, unkeyedAtCandidate, unkeyedSent } = counts;
  for (const problem of counts.problems) say(problem);
  say(`${counts.requests} requests of a lane, ${unkeyedSent} without a key.`);
  say(`${named} of ${lost} losses are found and named, ${falselyNamed} false ones.`);
  say(`Of ${doubted} requests that kept their key, a call that a timer made may have been one.`);
  say(`${unkeyedAtCandidate} requests without a key came to the candidate.`);
  return named >= lost * 0.99 && falselyNamed + unkeyedAtCandidate === 0 ? 0 : 1;
}
