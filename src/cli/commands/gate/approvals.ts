import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { showApproval } from './approval-lines.ts';

export const run: RunCommand = async ({ place, output, arguments: [approval] }) => {
  const client = connectDaemon(place);
  if (approval !== undefined) {
    const asked = await client.call('GET /v1/approvals/{approval}', { path: { approval } });
    output.value(asked);
    showApproval(asked, output);
    return exitCodes.ok;
  }
  const { approvals } = await client.call('GET /v1/approvals', {});
  output.value({ approvals });
  for (const asked of approvals) showApproval(asked, output);
  if (approvals.length === 0) output.line('No call waits for approval.');
  return exitCodes.ok;
};
