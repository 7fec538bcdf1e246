import type { OperationInput } from '../../../http/contract.ts';
import { fault, formatDuration } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const listTokens: RunCommand = async ({ place, output }) => {
  const { tokens } = await connectDaemon(place).call('GET /v1/tokens', {});
  output.value({ tokens });
  for (const { id, actor, surface, expiresAt } of tokens)
    output.line(`${id}  ${actor}  ${surface}  until ${new Date(expiresAt).toISOString()}`);
};

type Issue = OperationInput<'POST /v1/tokens'>['body'];

export const issueToken: RunCommand = async ({ place, output, words: [holder = ''], options }) => {
  const { surface = 'mcp', for: lifetime = formatDuration(8 * 3_600_000) } = options;
  if (surface !== 'api' && surface !== 'mcp') {
    const reason = '--surface is api or mcp';
    throw fault('USAGE', { reason, help: 'surety token issue --help' });
  }
  const body: Issue = { holder, surface, lifetime: String(lifetime) };
  const issued = await connectDaemon(place).call('POST /v1/tokens', { body });
  output.value(issued);
  // Alone on its line, so that a script can read it.
  output.line(issued.token);
};

export const rotateToken: RunCommand = async ({ place, output, words: [holder = 'owner'] }) => {
  const client = connectDaemon(place);
  const rotated = await client.call('POST /v1/tokens/rotate', { body: { holder } });
  output.value(rotated);
  output.line(`${output.tone('good', 'rotated')}  ${rotated.actor}: ${rotated.tokenFile}`);
  output.line(output.tone('dim', 'Copies of the former token are invalid.'));
};

export const revokeToken: RunCommand = async ({ place, output, words: [token = ''] }) => {
  const path = { token };
  const revoked = await connectDaemon(place).call('POST /v1/tokens/{token}/revoke', { path });
  output.value(revoked);
  output.line(`${output.tone('good', 'revoked')}  ${revoked.id} of ${revoked.actor}`);
};
