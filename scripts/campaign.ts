import { runCampaign } from '../tests/isolation/campaign.ts';
import { say } from './steps.ts';

/**
 * `npm run campaign -- isolation 2000 [first seed]`: so many random systems of services with lanes
 * on them, each with witnesses that tell what they really served.
 */
const [name, count = '2000', first = '0'] = process.argv.slice(2);
if (name !== 'isolation') {
  say('npm run campaign -- isolation [systems] [first seed]');
  process.exit(2);
}
const started = performance.now();
let done = 0;
const campaign = await runCampaign(Number(first), Number(count), (seed, { problems }) => {
  if (problems.length > 0) say(`seed ${seed}: ${problems.slice(0, 5).join('; ')}`);
  if (++done % 100 === 0) say(`${done} systems …`);
});
const { systems, keyed, unkeyed, told, problems } = campaign;
const seconds = ((performance.now() - started) / 1_000).toFixed(0);
say(`\n${systems} systems, ${keyed} keyed and ${unkeyed} unkeyed requests served, ${seconds} s.`);
say(`${told} of them were served by the baseline for want of a key, and reported.`);
say(`${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;
