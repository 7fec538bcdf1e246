import type { Client } from '../../../http/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { showDetails, type Task, taskLine } from './task-line.ts';

export const run: RunCommand = async ({ place, output, arguments: [id = ''] }) => {
  const client = connectDaemon(place);
  const task = await client.call('GET /v1/tasks/{task}', { path: { task: id } });
  const { below, isCut } = await readBelow(client, task);
  output.value({ ...task, below: below.map(({ task: part }) => part) });
  showDetails(task, output);
  for (const { task: part, depth } of below) {
    output.line(`${'    '.repeat(depth)}${taskLine(part, output)}`);
  }
  if (isCut) output.line(`    … and more: these are the first ${belowMax}.`);
  return exitCodes.ok;
};

const belowMax = 200;

type Part = { readonly task: Task; readonly depth: number };

/** The open tasks below, each after the one that it is a part of. */
async function readBelow(client: Client, root: Task): Promise<{ below: Part[]; isCut: boolean }> {
  const below: Part[] = [];
  let isCut = false;
  const visit = async ({ task, children }: Task, depth: number): Promise<void> => {
    if (children === 0) return;
    const query = { parent: task, limit: belowMax };
    const { tasks, next } = await client.call('GET /v1/tasks', { query });
    isCut ||= next !== null;
    for (const child of tasks) {
      if (below.length === belowMax) {
        isCut = true;
        return;
      }
      below.push({ task: child, depth });
      await visit(child, depth + 1);
    }
  };
  await visit(root, 1);
  return { below, isCut };
}
