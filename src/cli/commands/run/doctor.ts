import { checkAll, type DoctorCheck } from '../../../runtime/doctor/doctor.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import type { Output } from '../../format/output.ts';

const tones = { ok: 'good', note: 'dim', warn: 'warn', bad: 'bad' } as const;

export const run: RunCommand = async ({ place, output }) => {
  const checks = await checkAll(place, (name) => output.progress(`checking ${name} …`));
  const healthy = checks.every(({ level }) => level !== 'bad');
  output.value({ ok: healthy, checks });
  for (const check of checks) tell(check, output);
  return healthy ? exitCodes.ok : exitCodes.bad;
};

function tell({ name, level, detail, remedy }: DoctorCheck, output: Output): void {
  output.line(`${output.tone(tones[level], level.padEnd(5))} ${name.padEnd(12)} ${detail}`);
  if (remedy !== undefined) output.line(`${''.padEnd(19)}try  ${remedy}`);
}
