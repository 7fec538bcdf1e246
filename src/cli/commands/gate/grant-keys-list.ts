import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output }) => {
  const { keys } = await connectDaemon(place).call('GET /v1/grant-keys', {});
  output.value({ keys });
  for (const { kid, state, madeAt } of keys) {
    const tone = state === 'current' ? 'good' : 'dim';
    output.line(`${kid}  ${output.tone(tone, state)}  made ${new Date(madeAt).toISOString()}`);
  }
  return exitCodes.ok;
};
