import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output }) => {
  const { scenarios } = await connectDaemon(place).call('POST /v1/traffic/clear', {});
  output.value({ scenarios });
  output.line(`Deleted the requests of ${scenarios} client${scenarios === 1 ? '' : 's'}.`);
  return exitCodes.ok;
};
