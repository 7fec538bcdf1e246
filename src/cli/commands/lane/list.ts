import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output }) => {
  const { lanes, opening } = await connectDaemon(place).call('GET /v1/lanes', {});
  output.value({ lanes, opening });
  for (const { lane, candidates, owner, expiresAt } of lanes) {
    const services = candidates.map(({ service }) => service).join(', ') || 'the baseline';
    output.line(`${lane}  ${services}  by ${owner}, until ${new Date(expiresAt).toISOString()}`);
  }
  for (const { lane, owner, stage } of opening) output.line(`${lane}  ${stage} …  by ${owner}`);
  if (lanes.length + opening.length === 0) output.line('No lane is open.');
  return exitCodes.ok;
};
