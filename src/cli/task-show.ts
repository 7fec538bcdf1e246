import { exitCodes, type Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';
import { showTask } from './task-line.ts';

export const run: Run = async ({ place, output, arguments: [task = ''] }) => {
  showTask(await connectDaemon(place).call('GET /v1/tasks/{task}', { path: { task } }), output);
  return exitCodes.ok;
};
