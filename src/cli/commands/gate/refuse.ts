import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { neededOption } from '../../options/required-option.ts';

export const run: RunCommand = async ({ place, output, arguments: [approval = ''], options }) => {
  const reason = neededOption('refuse', '--reason', options.reason);
  const client = connectDaemon(place);
  const path = { approval };
  const { argumentsHash } = await client.call('GET /v1/approvals/{approval}', { path });
  const body = { argumentsHash, reason };
  const answered = await client.call('POST /v1/approvals/{approval}/refuse', { path, body });
  output.value(answered);
  output.line(`${output.tone('bad', 'refused')}  ${answered.actor} ${answered.tool}: ${reason}`);
  return exitCodes.ok;
};
