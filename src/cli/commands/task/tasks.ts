import type { Client } from '../../../http/index.ts';
import { type Json, parseStrictJson } from '../../../kernel/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { showDetails, showTask, type Task, taskLine } from './task-line.ts';
import { readWish } from './task-options.ts';

export const openTask: RunCommand = async ({ place, output, arguments: [goal = ''], options }) => {
  const body = { ...readWish(goal, options), ...(options.plain ? { change: false } : {}) };
  showTask(await connectDaemon(place).call('POST /v1/tasks', { body }), output);
  return exitCodes.ok;
};

export const splitTask: RunCommand = async ({
  place,
  output,
  arguments: [task = '', goal = ''],
  options,
}) => {
  const input = { path: { task }, body: readWish(goal, options) };
  showTask(await connectDaemon(place).call('POST /v1/tasks/{task}/split', input), output);
  return exitCodes.ok;
};

export const listTasks: RunCommand = async ({ place, output }) => {
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

export const showTaskTree: RunCommand = async ({ place, output, arguments: [id = ''] }) => {
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

export const moveTask: RunCommand = async ({
  place,
  output,
  arguments: [task = '', phase = ''],
}) => {
  const input = { path: { task }, body: { phase } };
  showTask(await connectDaemon(place).call('POST /v1/tasks/{task}/move', input), output);
  return exitCodes.ok;
};

export const finishTask: RunCommand = async ({ place, output, arguments: [task = '', result] }) => {
  const body = { result: (result === undefined ? null : readResult(result)) as never };
  const client = connectDaemon(place);
  showTask(await client.call('POST /v1/tasks/{task}/finish', { path: { task }, body }), output);
  return exitCodes.ok;
};

/** JSON where it is some; any other words are a text. */
function readResult(text: string): Json {
  try {
    return parseStrictJson(text);
  } catch {
    return text;
  }
}

export const cancelTask: RunCommand = async ({
  place,
  output,
  arguments: [task = ''],
  options,
}) => {
  const body = { reason: String(options.reason ?? 'by hand') };
  const client = connectDaemon(place);
  const answer = await client.call('POST /v1/tasks/{task}/cancel', { path: { task }, body });
  output.value(answer);
  const below = answer.cancelled - 1;
  output.line(`${output.tone('good', 'cancelled')}  ${task}, and ${below} child tasks`);
  return exitCodes.ok;
};
