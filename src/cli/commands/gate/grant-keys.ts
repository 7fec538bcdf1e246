import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const listGrantKeys: RunCommand = async ({ place, output }) => {
  const { keys } = await connectDaemon(place).call('GET /v1/grant-keys', {});
  output.value({ keys });
  for (const { kid, state, madeAt } of keys) {
    const tone = state === 'current' ? 'good' : 'dim';
    output.line(`${kid}  ${output.tone(tone, state)}  made ${new Date(madeAt).toISOString()}`);
  }
};

export const rotateGrantKeys: RunCommand = async ({ place, output }) => {
  const key = await connectDaemon(place).call('POST /v1/grant-keys/rotate', {});
  output.value(key);
  output.line(`${output.tone('good', 'rotated')}  ${key.kid} signs from now on`);
};

export const revokeGrantKey: RunCommand = async ({ place, output, words: [kid = ''] }) => {
  const path = { kid };
  const key = await connectDaemon(place).call('POST /v1/grant-keys/{kid}/revoke', { path });
  output.value(key);
  output.line(`${output.tone('good', 'revoked')}  ${key.kid}: its grants are no longer valid`);
  output.line(output.tone('dim', 'Executors refuse them once they read /.well-known/jwks.json.'));
};
