import type { Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';
import { readPatch } from './patch-file.ts';
import { readProfile } from './profile.ts';
import { systemMsMax } from './system-table.ts';
import { showVerdict } from './verdict.ts';

export const run: Run = async ({ place, output, arguments: [path = '-'], options }) => {
  const body = {
    patch: readPatch(path),
    ...(options.suite ? { suites: [String(options.suite)] } : {}),
    ...(options.base ? { base: String(options.base) } : {}),
    ...(options.profile ? { profile: readProfile(String(options.profile)) } : {}),
  };
  output.progress('opening lanes, running suites …');
  const client = connectDaemon(place);
  const verdict = await client.call('POST /v1/verdicts', { body }, { answerMsMax: systemMsMax });
  return showVerdict(verdict, output);
};
