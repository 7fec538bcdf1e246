import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output, options }) => {
  const body = { on: options.stop !== true };
  const { recording } = await connectDaemon(place).call('POST /v1/traffic/recording', { body });
  output.value({ recording });
  output.line(recording ? 'Recording.' : 'Not recording. Recorded requests are kept.');
  return exitCodes.ok;
};
