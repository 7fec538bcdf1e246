import type { Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';
import { systemMsMax } from './system-table.ts';
import { showVerdict } from './verdict.ts';

export const run: Run = async ({ place, output, arguments: [task = ''] }) => {
  output.progress('opening lanes, running suites …');
  const client = connectDaemon(place);
  const options = { answerMsMax: systemMsMax };
  const path = { task };
  return showVerdict(await client.call('POST /v1/tasks/{task}/verify', { path }, options), output);
};
