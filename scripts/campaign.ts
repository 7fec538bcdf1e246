import { runCampaign } from '../tests/isolation/campaign.ts';
import type { Judgement } from '../tests/isolation/judge.ts';
import { planEnding, planStrangers, planSystem } from '../tests/isolation/plan.ts';
import { calibrateCampaign } from './campaign/calibrate.ts';
import { conditionsCampaign } from './campaign/condition-incidents.ts';
import { corpusCampaign } from './campaign/corpus.ts';
import { differentialCampaign } from './campaign/differential.ts';
import { hostileServersCampaign } from './campaign/hostile-servers.ts';
import { incidentsCampaign } from './campaign/incidents.ts';
import { lossesCampaign } from './campaign/losses.ts';
import { matrixCampaign } from './campaign/matrix.ts';
import { detectCampaign } from './campaign/measure.ts';
import { mutantsCampaign } from './campaign/mutants.ts';
import { recoveryCampaign } from './campaign/recovery.ts';
import { evasionsCampaign, ordinaryCampaign } from './campaign/shell-commands.ts';
import { soakCampaign } from './campaign/soak.ts';
import { unseenCampaign } from './campaign/unseen.ts';
import { say } from './steps.ts';

/**
 * `npm run campaign -- isolation 2000 [first seed]`: so many random systems of services with lanes
 * on them, each with witnesses that tell what they really served. With `endings` in place of
 * `isolation`, a lane ends early in each of them; with `strangers`, each has a client that batches
 * and that nobody knows. `corpus` is told of in `campaign/corpus.ts`, `unseen` in
 * `campaign/unseen.ts`, `mutants` in `campaign/mutants.ts`, `calibrate` in
 * `campaign/calibrate.ts`, `detect` in `campaign/measure.ts`, `recovery` in
 * `campaign/recovery.ts`, `soak` in `campaign/soak.ts`, `hostile-servers` in
 * `campaign/hostile-servers.ts`, `differential` in `campaign/differential.ts`, `losses` in
 * `campaign/losses.ts`, `incidents` in `campaign/incidents.ts`, `conditions` in
 * `campaign/condition-incidents.ts`, and `matrix`, which `isolation`
 * runs too, in `campaign/matrix.ts`.
 */
const others = new Map([
  ['corpus', corpusCampaign],
  ['calibrate', calibrateCampaign],
  ['detect', detectCampaign],
  ['differential', differentialCampaign],
  ['evasions', evasionsCampaign],
  ['ordinary', ordinaryCampaign],
  ['hostile-servers', hostileServersCampaign],
  ['incidents', incidentsCampaign],
  ['conditions', conditionsCampaign],
  ['losses', lossesCampaign],
  ['matrix', matrixCampaign],
  ['mutants', mutantsCampaign],
  ['recovery', recoveryCampaign],
  ['soak', soakCampaign],
  ['unseen', unseenCampaign],
]);
const other = others.get(process.argv[2] ?? '');
if (other) process.exit(await other(process.argv.slice(3)));
const [name, count = '2000', first = '0'] = process.argv.slice(2);
const plans = new Map([
  ['isolation', planSystem],
  ['endings', planEnding],
  ['strangers', planStrangers],
]);
const planOf = plans.get(name ?? '');
if (!planOf) {
  say('npm run campaign -- isolation|endings|strangers [systems] [first seed]');
  say('npm run campaign -- corpus');
  say('npm run campaign -- calibrate [verdicts] [profile] [services at once] [file]');
  say('npm run campaign -- detect [verdicts] [percent] [profile] [file]');
  say('npm run campaign -- differential');
  say('npm run campaign -- hostile-servers [minutes]');
  say('npm run campaign -- incidents [count] [seed] [--json file]');
  say('npm run campaign -- conditions [count] [seed] [--json file]');
  say('npm run campaign -- losses [requests] [seed]');
  say('npm run campaign -- matrix [requests] [page]');
  say('npm run campaign -- mutants [count] [seed] [--json file]');
  say('npm run campaign -- evasions|ordinary <file.json> [policy.yaml]');
  say('npm run campaign -- recovery [kills] [seed]');
  say('npm run campaign -- soak [minutes] [seed] [file]');
  say('npm run campaign -- unseen [--from folder] [--system folder]');
  process.exit(2);
}
const started = performance.now();
const sum = { systems: 0, keyed: 0, unkeyed: 0 };
const onSystem = (seed: number, { problems, keyed, unkeyed }: Judgement): void => {
  if (problems.length > 0) say(`seed ${seed}: ${problems.slice(0, 5).join('; ')}`);
  sum.systems += 1;
  sum.keyed += keyed;
  sum.unkeyed += unkeyed;
  // With all counts, so that a campaign that is ended early says what it did.
  if (sum.systems % 20 !== 0) return;
  say(`${sum.systems} systems, ${sum.keyed} keyed and ${sum.unkeyed} unkeyed requests …`);
};
const campaign = await runCampaign(Number(first), Number(count), onSystem, planOf);
const { systems, keyed, unkeyed, told, problems } = campaign;
const seconds = ((performance.now() - started) / 1_000).toFixed(0);
say(`\n${systems} systems, ${keyed} keyed and ${unkeyed} unkeyed requests served, ${seconds} s.`);
say(`${told} of them were served by the baseline for want of a key, and reported.`);
say(`${problems.length} problems.`);
// Random systems work in few ways; the matrix has all that we know.
const matrixCode = name === 'isolation' ? await matrixCampaign([]) : 0;
process.exitCode = problems.length === 0 ? matrixCode : 1;
