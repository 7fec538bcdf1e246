import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output, arguments: [kid = ''] }) => {
  const path = { kid };
  const key = await connectDaemon(place).call('POST /v1/grant-keys/{kid}/revoke', { path });
  output.value(key);
  output.line(`${output.tone('good', 'revoked')}  ${key.kid}: its grants are no longer valid`);
  output.line(output.tone('dim', 'Executors refuse them once they read /.well-known/jwks.json.'));
  return exitCodes.ok;
};
