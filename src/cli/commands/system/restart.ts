import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';
import { showSystem } from './system-table.ts';

export const run: RunCommand = async ({ place, output, arguments: [service = ''] }) => {
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  const body = { service };
  const client = connectDaemon(place);
  return showSystem(await client.call('POST /v1/system/restart', { body }, options), output);
};
