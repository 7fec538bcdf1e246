import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { type Task, taskLine } from './task-line.ts';

export const run: RunCommand = async ({ place, output }) => {
  const client = connectDaemon(place);
  const tasks: Task[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page: { tasks: readonly Task[]; next: string | null } = await client.call(
      'GET /v1/tasks',
      {
        query: { after },
      },
    );
    tasks.push(...page.tasks);
    after = page.next;
  }
  output.value({ tasks });
  for (const task of tasks) output.line(taskLine(task, output));
  if (tasks.length === 0) output.line('No task is open.');
  return exitCodes.ok;
};
