import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { showTask } from './task-line.ts';

export const run: RunCommand = async ({ place, output, arguments: [task = '', phase = ''] }) => {
  const input = { path: { task }, body: { phase } };
  showTask(await connectDaemon(place).call('POST /v1/tasks/{task}/move', input), output);
  return exitCodes.ok;
};
