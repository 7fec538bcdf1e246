import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output }) => {
  const { tools, servers } = await connectDaemon(place).call('GET /v1/mcp/tools', {});
  output.value({ tools, servers });
  for (const { tool, server, state, accepted } of tools) {
    const tone = state === 'blocked' ? 'bad' : 'good';
    output.line(`${output.tone(tone, state)}  ${tool}  of ${server}  ${accepted.slice(0, 12)}`);
  }
  if (tools.length === 0) output.line('No server behind the gateway has shown a tool yet.');
  for (const { name, isConnected, reason } of servers) {
    if (isConnected) continue;
    output.line(`${output.tone('bad', 'away')}  server ${name}: ${reason ?? 'not connected yet'}`);
  }
  const blocked = tools.filter(({ state }) => state === 'blocked');
  for (const { tool } of blocked) output.line(`    look at it  surety mcp accept ${tool}`);
  return blocked.length > 0 ? exitCodes.bad : exitCodes.ok;
};
