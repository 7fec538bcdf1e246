import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { confirm } from '../../options/confirm.ts';
import { showApproval } from './approval-lines.ts';

export const run: RunCommand = async ({ place, output, arguments: [approval = ''], options }) => {
  const client = connectDaemon(place);
  const path = { approval };
  const asked = await client.call('GET /v1/approvals/{approval}', { path });
  showApproval(asked, output);
  const isAnswered = options.yes === true || typeof options.hash === 'string';
  if (!isAnswered && !(await confirm('Approve exactly this call, once?', '--yes or --hash'))) {
    output.value({ approved: false, ...asked });
    output.line('Left as it is.');
    return exitCodes.bad;
  }
  const argumentsHash = typeof options.hash === 'string' ? options.hash : asked.argumentsHash;
  const reason = typeof options.reason === 'string' ? options.reason : '';
  const body = { argumentsHash, reason };
  const answered = await client.call('POST /v1/approvals/{approval}/approve', { path, body });
  output.value({ approved: true, ...answered });
  output.line(`${output.tone('good', 'approved')}  the agent may propose exactly this, once`);
  return exitCodes.ok;
};
