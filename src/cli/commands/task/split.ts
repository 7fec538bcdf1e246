import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { showTask } from './task-line.ts';
import { readWish } from './task-options.ts';

export const run: RunCommand = async ({
  place,
  output,
  arguments: [task = '', goal = ''],
  options,
}) => {
  const input = { path: { task }, body: readWish(goal, options) };
  showTask(await connectDaemon(place).call('POST /v1/tasks/{task}/split', input), output);
  return exitCodes.ok;
};
