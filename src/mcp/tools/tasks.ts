import { z } from 'zod';
import { limits } from '../../kernel/index.ts';
import { tellTask } from '../tell-task.ts';
import { tellList } from '../told.ts';
import { type Tool, tool } from '../tool.ts';

const task = z.string().min(1).describe('The id that open_task gave.');

/** The tree of tasks. */
export const taskTools: Readonly<Record<string, Tool>> = {
  open_task: tool({
    title: 'Open a task',
    description:
      'Opens a task, where there are services on the version that runs now. The ' +
      'answer has the task id that other tools take, and the commit for patches (base).',
    input: z.strictObject({
      goal: z.string().min(1).describe('What shall be achieved, in one or two sentences.'),
      change: z
        .boolean()
        .optional()
        .describe('Whether it changes the system; as there are services if left out.'),
    }),
    run: async (client, body, options) =>
      tellTask(await client.call('POST /v1/tasks', { body }, options)),
  }),
  get_task: tool({
    title: 'Look at a task',
    description:
      'Tells where a task stands, what it has left of its budget, and which tool is next. ' +
      'Use it when you do not know whether a call got through.',
    input: z.strictObject({ task }),
    searched: 'your tasks and those that were split off them',
    run: async (client, path, options) =>
      tellTask(await client.call('GET /v1/tasks/{task}', { path }, options)),
  }),
  list_tasks: tool({
    title: 'List your tasks',
    description: 'Lists your open tasks, or those that were split off one of them.',
    input: z.strictObject({
      parent: z.string().optional().describe('A task of yours.'),
    }),
    searched: 'your open tasks, those that end soonest first',
    run: async (client, { parent }, options) => {
      const query = { limit: limits.tasksPageMax, ...(parent ? { parent } : {}) };
      const { tasks, next } = await client.call('GET /v1/tasks', { query }, options);
      const more = next === null ? '' : ' There are more, which end later.';
      const head = tasks.length === 0 ? 'No open task.' : `Open:${more}`;
      const line = (one: (typeof tasks)[number]) => `- ${tellTask(one).text.split('\n')[0]}`;
      return tellList({ name: 'tasks', items: tasks, line, head });
    },
  }),
  split_task: tool({
    title: 'Split a task off',
    description:
      'Hands a part of your task to another agent, or to yourself, with a part of what your task ' +
      'has left. A part never gets more than the whole has; what it leaves unspent returns.',
    input: z.strictObject({
      task: task.describe('Your task, of which it is a part.'),
      goal: z.string().min(1).describe('What shall be achieved.'),
      agent: z.string().optional().describe('Who works on it, agent:<name>; you if left out.'),
      budgets: z
        .record(z.string(), z.int().min(0))
        .optional()
        .describe('What it may use, by dimension: {"money": 500}. Nothing if left out.'),
      tools: z.array(z.string()).optional().describe('Patterns; as your task if left out.'),
      resources: z.array(z.string()).optional().describe('Patterns; as your task if left out.'),
      expiresInMs: z.int().min(1).optional(),
    }),
    run: async (client, { task: parent, ...body }, options) => {
      const input = { path: { task: parent }, body };
      return tellTask(await client.call('POST /v1/tasks/{task}/split', input, options));
    },
  }),
  move_task: tool({
    title: 'Go on to a phase',
    description: 'Takes a task that has phases to its next one.',
    input: z.strictObject({ task, phase: z.string().min(1) }),
    run: async (client, { task: id, phase }, options) => {
      const input = { path: { task: id }, body: { phase } };
      return tellTask(await client.call('POST /v1/tasks/{task}/move', input, options));
    },
  }),
  finish_task: tool({
    title: 'Finish a task',
    description:
      'Ends a task with its result. It may be refused until the steps and the evidence are there ' +
      'that lead to such a result. A task about a change is ended by promote_change.',
    input: z.strictObject({ task, result: z.json().describe('What came out.') }),
    run: async (client, { task: id, result }, options) => {
      const input = { path: { task: id }, body: { result } };
      return tellTask(await client.call('POST /v1/tasks/{task}/finish', input, options));
    },
  }),
  cancel_task: tool({
    title: 'Give a task up',
    description: 'Cancels a task and everything that was split off it.',
    input: z.strictObject({ task, reason: z.string().min(1) }),
    run: async (client, { task: id, reason }, options) => {
      const input = { path: { task: id }, body: { reason } };
      const value = await client.call('POST /v1/tasks/{task}/cancel', input, options);
      return { value, text: `Cancelled ${value.cancelled} tasks.` };
    },
  }),
};
