import { exitCodes, type Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';
import { showTask } from './task-line.ts';

export const run: Run = async ({ place, output, arguments: [goal = ''] }) => {
  showTask(await connectDaemon(place).call('POST /v1/tasks', { body: { goal } }), output);
  return exitCodes.ok;
};
