import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { showTask } from './task-line.ts';
import { readWish } from './task-options.ts';

export const run: RunCommand = async ({ place, output, arguments: [goal = ''], options }) => {
  const body = { ...readWish(goal, options), ...(options.plain ? { change: false } : {}) };
  showTask(await connectDaemon(place).call('POST /v1/tasks', { body }), output);
  return exitCodes.ok;
};
