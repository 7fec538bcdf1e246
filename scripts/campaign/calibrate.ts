import { appendFileSync, existsSync } from 'node:fs';
import { shareInterval } from '../../src/kernel/index.ts';
import type { CalibrationRun } from '../../src/verify/api-schema.ts';
import { say } from '../steps.ts';
import type { CorpusSystem } from './corpus-system.ts';
import { percent, readLines, withSystem } from './measure.ts';

/** So many in one call: what is lost at most when the machine goes down. */
const batch = 5;
const verdictSecondsMax = 900;

/**
 * `npm run campaign -- calibrate 400 [quick|full] [services at once] [file]`: so many verdicts on
 * identical code. They go into the file as they are reached; begun again with the same file, only
 * those that are missing are run.
 */
export async function calibrateCampaign(words: readonly string[]): Promise<number> {
  const [count = '400', profile = 'quick', atOnce = '1', file] = words;
  const judged = file && existsSync(file) ? readLines<CalibrationRun>(file) : [];
  if (judged.length > 0) say(`${judged.length} are there already.`);
  const options = ['--profile', profile, '--at-once', atOnce];
  const isWhole = await withSystem(async (system) => {
    while (judged.length < Number(count)) {
      const more = await judgeMore(system, options, judged);
      if (more.length === 0) return false;
      judged.push(...more);
      if (file) appendFileSync(file, more.map((one) => `${JSON.stringify(one)}\n`).join(''));
    }
    return true;
  });
  tellAll(judged, profile);
  return isWhole && judged.every(({ falseAlarms }) => falseAlarms === 0) ? 0 : 1;
}

/** Goes on with the service that is next in turn. */
async function judgeMore(
  { surety }: CorpusSystem,
  options: readonly string[],
  judged: readonly CalibrationRun[],
): Promise<CalibrationRun[]> {
  const all = judged.find(({ services }) => services.length > 1)?.services ?? [];
  const from = all.length === 0 ? 0 : judged.length % all.length;
  const inTurn = [...all.slice(from), ...all.slice(0, from)].join(',');
  const asked = [...options, ...(inTurn === '' ? [] : ['--service', inTurn])];
  const started = performance.now();
  const told = await surety(
    ['calibrate', '--verdicts', String(batch), ...asked],
    batch * verdictSecondsMax,
  );
  const more = told.values.filter((one) => 'alarms' in one && !('interval' in one));
  if (told.code !== 0) say(`no further verdict: ${JSON.stringify(told.value)}`);
  const seconds = ((performance.now() - started) / 1_000 / batch).toFixed(1);
  const known = more as unknown as CalibrationRun[];
  for (const { alarms, doubts } of known) {
    if (alarms.length > 0) say(`FALSE ALARM ${alarms.join('; ')}`);
    if (doubts.length > 0) say(`inconclusive ${doubts.join('; ')}`);
  }
  say(`${judged.length + known.length} verdicts, ${seconds} s each`);
  return known;
}

function tellAll(judged: readonly CalibrationRun[], profile: string): void {
  const alarms = judged.filter((one) => one.falseAlarms > 0).length;
  const unsure = judged.filter((one) => one.inconclusive > 0).length;
  const { low, high } = shareInterval(alarms, judged.length);
  say(`${alarms} false alarms, ${unsure} inconclusive of ${judged.length} ${profile} verdicts.`);
  say(`False alarms, 95 %: ${percent(low)} to ${percent(high)}.`);
}
