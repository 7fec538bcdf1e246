import type { OperationResponse } from '../../../http/index.ts';
import type { Output } from '../../format/output.ts';
import { visible } from '../../format/visible.ts';

export type ApprovalView = OperationResponse<'GET /v1/approvals/{approval}'>;

/** Exactly what would be executed: an answer is for this and nothing else. */
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
