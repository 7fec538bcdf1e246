import type { OperationResponse } from '../http/index.ts';
import type { Output } from './output.ts';

type Task = OperationResponse<'GET /v1/tasks/{task}'>;

export function showTask(task: Task, output: Output): void {
  output.value(task);
  output.line(`${output.tone('bold', task.task)}  phase ${task.phase}, by ${task.agent}`);
  output.line(`    on       version ${task.base.slice(0, 10)}`);
  if (task.test) output.line(`    test     ${task.test}`);
  if (task.change) output.line(`    change   ${task.change}, ${task.repairs} repairs`);
  if (task.verdict) output.line(`    verdict  ${task.verdict}`);
}
