import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { visible } from '../../format/visible.ts';

export const run: RunCommand = async ({ place, output }) => {
  const { disputes } = await connectDaemon(place).call('GET /v1/disputes', {});
  output.value({ disputes });
  for (const { finding, owner, reason, until } of disputes) {
    const day = new Date(until).toISOString().slice(0, 10);
    output.line(visible(`${finding}  until ${day}  ${owner}  ${reason}`));
  }
  if (disputes.length === 0) output.line('No finding is disputed.');
  return exitCodes.ok;
};
