import type { OperationResponse } from '../../../http/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { visible } from '../../format/visible.ts';
import { confirm } from '../../options/confirm.ts';
import { neededOption } from '../../options/required-option.ts';

export const showApprovals: RunCommand = async ({ place, output, words: [approval] }) => {
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
};

export const approve: RunCommand = async ({ place, output, words: [approval = ''], options }) => {
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
};

export const refuse: RunCommand = async ({ place, output, words: [approval = ''], options }) => {
  const reason = neededOption('refuse', '--reason', options.reason);
  const client = connectDaemon(place);
  const path = { approval };
  const { argumentsHash } = await client.call('GET /v1/approvals/{approval}', { path });
  const body = { argumentsHash, reason };
  const answered = await client.call('POST /v1/approvals/{approval}/refuse', { path, body });
  output.value(answered);
  output.line(`${output.tone('bad', 'refused')}  ${answered.actor} ${answered.tool}: ${reason}`);
};

export type ApprovalView = OperationResponse<'GET /v1/approvals/{approval}'>;

/** Shows exactly what would be executed: an answer is for these arguments only. */
export function showApproval(asked: ApprovalView, output: Output): void {
  const { approval, status, actor, tool, argumentsHash, role, expiresAt, by, reason } = asked;
  const tone = status === 'waiting' ? 'warn' : 'dim';
  output.line(`${approval}  ${output.tone(tone, status)}  ${actor} ${visible(tool)}`);
  const given = asked.arguments === null ? 'forgotten' : JSON.stringify(asked.arguments, null, 2);
  for (const line of given.split('\n')) output.line(`    ${visible(line)}`);
  output.line(`    hash     ${argumentsHash}`);
  output.line(`    role     ${role}, until ${new Date(expiresAt).toISOString()}`);
  if (by) output.line(`    by       ${by}${reason ? `: ${reason}` : ''}`);
}
