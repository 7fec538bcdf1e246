import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output }) => {
  const { tools } = await connectDaemon(place).call('GET /v1/mcp/tools', {});
  output.value({ tools });
  for (const { tool, server, state, accepted } of tools) {
    const tone = state === 'held' ? 'bad' : 'good';
    output.line(`${output.tone(tone, state)}  ${tool}  of ${server}  ${accepted.slice(0, 12)}`);
  }
  if (tools.length === 0) output.line('No server behind the gateway has shown a tool yet.');
  const held = tools.filter(({ state }) => state === 'held');
  for (const { tool } of held) output.line(`    look at it  surety mcp accept ${tool}`);
  return held.length > 0 ? exitCodes.bad : exitCodes.ok;
};
