import { relative, resolve } from 'node:path';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';
import { readPatch } from '../verify/patch-file.ts';

export const run: RunCommand = async ({ place, output, arguments: [task = '', file = ''] }) => {
  const body = { path: relative(place.root, resolve(file)), code: readPatch(file) };
  const client = connectDaemon(place);
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  const ran = await client.call('POST /v1/tasks/{task}/test', { path: { task }, body }, options);
  output.value(ran);
  output.line(`${output.tone('good', 'fails')}  as it should, on the baseline:`);
  for (const { check, passed } of ran.checks) if (!passed) output.line(`    ${check}`);
  return exitCodes.ok;
};
