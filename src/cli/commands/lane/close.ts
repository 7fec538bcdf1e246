import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output, arguments: [lane = ''] }) => {
  const path = { lane };
  output.value(await connectDaemon(place).call('POST /v1/lanes/{lane}/close', { path }));
  output.line(`${output.tone('good', 'closed')}  ${lane}`);
  return exitCodes.ok;
};
