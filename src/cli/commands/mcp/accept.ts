import { fault } from '../../../kernel/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { confirm } from '../../options/confirm.ts';

/** Shows both definitions first: the user accepts what was shown, and nothing newer. */
export const run: RunCommand = async ({ place, output, words: [tool = ''], options }) => {
  const client = connectDaemon(place);
  const path = { tool };
  const shown = await client.call('GET /v1/mcp/tools/{tool}', { path });
  const { offered, acceptedDefinition, offeredDefinition } = shown;
  if (offered === null) throw fault('TOOL_NOT_BLOCKED', { tool, reason: 'it has not changed' });
  output.line(`accepted  ${JSON.stringify(acceptedDefinition)}`);
  output.line(`offered   ${JSON.stringify(offeredDefinition)}`);
  if (typeof options.hash !== 'string' && options.yes !== true) {
    if (!(await confirm(`Let agents use ${tool} like this?`, '--yes or --hash')))
      return exitCodes.bad;
  }
  const hash = typeof options.hash === 'string' ? options.hash : offered;
  const value = await client.call('POST /v1/mcp/tools/{tool}/accept', { path, body: { hash } });
  output.value({ ...value });
  output.line(`${output.tone('good', 'accepted')}  ${tool}  ${hash.slice(0, 12)}`);
};
