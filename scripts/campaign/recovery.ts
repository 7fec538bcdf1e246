import { runRecoveryCampaign } from '../../tests/harness/gate/recovery-campaign.ts';
import { say } from '../steps.ts';

/**
 * `npm run campaign -- recovery 100 [seed]`: so many kills of a daemon and of the server that its
 * tools call, while agents go on. Prints what is left in doubt when both answer again.
 */
export async function recoveryCampaign([kills = '100', seed = '1']: string[]): Promise<number> {
  const started = performance.now();
  const campaign = await runRecoveryCampaign(Number(kills), Number(seed));
  const { kills: killed, told, doubts, left, problems } = campaign;
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  const answers = Object.entries(told).map(([status, count]) => `${count} ${status}`);
  say(`${killed.daemon} kills of the daemon, ${killed.server} of the effect server, ${seconds} s.`);
  say(`Answers: ${answers.join(', ')}. ${doubts} outcomes were unknown at some time.`);
  for (const problem of problems) say(problem);
  say(`${left} outcomes are left unknown, ${problems.length} problems.`);
  return left === 0 && problems.length === 0 ? 0 : 1;
}
