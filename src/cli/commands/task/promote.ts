import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';

export const run: RunCommand = async ({ place, output, arguments: [task = ''] }) => {
  output.progress('starting the new version beside the old one …');
  const client = connectDaemon(place);
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  const path = { task };
  const promoted = await client.call('POST /v1/tasks/{task}/promote', { path }, options);
  output.value(promoted);
  const services = promoted.services.join(', ');
  output.line(
    `${output.tone('good', 'promoted')}  ${services} runs ${promoted.commit.slice(0, 10)}`,
  );
  return exitCodes.ok;
};
