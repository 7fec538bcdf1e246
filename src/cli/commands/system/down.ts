import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';
import { showSystem } from './system-table.ts';

export const run: RunCommand = async ({ place, output }) => {
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  showSystem(await connectDaemon(place).call('POST /v1/system/down', {}, options), output);
  return exitCodes.ok;
};
