import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output }) => {
  const key = await connectDaemon(place).call('POST /v1/grant-keys/rotate', {});
  output.value(key);
  output.line(`${output.tone('good', 'rotated')}  ${key.kid} signs from now on`);
  return exitCodes.ok;
};
