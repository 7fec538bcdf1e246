import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output, arguments: [task = ''], options }) => {
  const body = { reason: String(options.reason ?? 'by hand') };
  const client = connectDaemon(place);
  const answer = await client.call('POST /v1/tasks/{task}/cancel', { path: { task }, body });
  output.value(answer);
  const below = answer.cancelled - 1;
  output.line(`${output.tone('good', 'cancelled')}  ${task}, and ${below} child tasks`);
  return exitCodes.ok;
};
