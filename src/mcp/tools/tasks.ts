import { z } from 'zod';
import { gradeRequestSchema, joinRequestSchema } from '../../gate/joins/api-schema.ts';
import { taskRequestSchema } from '../../gate/tasks/api-schema.ts';
import { apiLimits } from '../../http/limits.ts';
import { formatJoin } from '../format-join.ts';
import { formatTask } from '../format-task.ts';
import { responses, type Tool, tool } from '../tool.ts';
import { formatList } from '../tool-answer.ts';

const request = taskRequestSchema.shape;
const task = z.string().min(1).describe('The id from the answer of open_task.');

/** Shorter than clients wait for a tool. */
const waitMs = z
  .int()
  .min(0)
  .max(20_000)
  .default(10_000)
  .describe('How long to wait until it is settled.');

/** An agent with one of these may have a task: its own, or one that another agent gave it. */
const taskWork = [
  ...['task.open', 'task.split', 'task.move', 'task.finish', 'task.cancel', 'task.verify'],
  ...['task.join', 'task.grade', 'task.renew', 'test.submit', 'change.propose', 'change.promote'],
];

/** The tree of tasks. */
export const taskTools: Readonly<Record<string, Tool>> = {
  open_task: tool({
    description:
      'Opens a task. In a system with services, the task is based on the baseline. The answer ' +
      'has the task id that other tools take, and the commit for your patches (base).',
    input: z.strictObject({
      goal: request.goal.describe('What to achieve, in one or two sentences.'),
      change: z
        .boolean()
        .optional()
        .describe('Whether the task changes the system. Default: true if there are services.'),
    }),
    output: responses('POST /v1/tasks'),
    needs: ['task.open'],
    run: async (client, body, options) =>
      formatTask(await client.call('POST /v1/tasks', { body }, options)),
  }),
  get_task: tool({
    description:
      'Shows the state of a task, what is left of its budget, and which tool is next. ' +
      'Use it if you do not know whether a call arrived.',
    input: z.strictObject({ task }),
    searched: 'your tasks and their child tasks',
    output: responses('GET /v1/tasks/{task}'),
    needs: taskWork,
    run: async (client, path, options) =>
      formatTask(await client.call('GET /v1/tasks/{task}', { path }, options)),
  }),
  list_tasks: tool({
    description: 'Lists your open tasks, or the child tasks of one of them.',
    input: z.strictObject({
      parent: z.string().optional().describe('One of your tasks.'),
    }),
    searched: 'your open tasks, those that expire first at the top',
    output: responses('GET /v1/tasks'),
    needs: taskWork,
    run: async (client, { parent }, options) => {
      const query = { limit: apiLimits.tasksPageMax, ...(parent ? { parent } : {}) };
      const { tasks, next } = await client.call('GET /v1/tasks', { query }, options);
      const more = next === null ? '' : ' There are more, which end later.';
      const head = tasks.length === 0 ? 'No open task.' : `Open:${more}`;
      const line = (one: (typeof tasks)[number]) => `- ${formatTask(one).text.split('\n')[0]}`;
      return formatList({ name: 'tasks', items: tasks, line, head });
    },
  }),
  split_task: tool({
    description:
      'Creates a child task for another agent, or for yourself, with a share of what your task ' +
      'has left. A child never gets more than its parent has; what it does not spend returns.',
    input: z.strictObject({
      task: task.describe('Your task, which becomes the parent.'),
      goal: request.goal.describe('What to achieve.'),
      agent: request.agent.describe('The agent that works on it, as agent:<name>. Default: you.'),
      budgets: request.budgets.describe(
        'What it may spend, by dimension: {"money": 500}. Default: nothing.',
      ),
      tools: request.tools.describe('Patterns. Default: those of your task.'),
      resources: request.resources.describe('Patterns. Default: those of your task.'),
      expiresInMs: request.expiresInMs,
      leaseMs: request.leaseMs,
      onLost: request.onLost,
    }),
    output: responses('POST /v1/tasks/{task}/split'),
    needs: ['task.split'],
    run: async (client, { task: parent, ...body }, options) => {
      const input = { path: { task: parent }, body };
      return formatTask(await client.call('POST /v1/tasks/{task}/split', input, options));
    },
  }),
  move_task: tool({
    description: 'Moves a task with phases to its next phase.',
    input: z.strictObject({ task, phase: z.string().min(1) }),
    output: responses('POST /v1/tasks/{task}/move'),
    needs: ['task.move'],
    run: async (client, { task: id, phase }, options) => {
      const input = { path: { task: id }, body: { phase } };
      return formatTask(await client.call('POST /v1/tasks/{task}/move', input, options));
    },
  }),
  finish_task: tool({
    description:
      'Ends a task with its result. Its contract may deny this until the required steps and ' +
      'evidence exist. A task that changes the system ends with promote_change instead.',
    input: z.strictObject({ task, result: z.json().describe('The result.') }),
    output: responses('POST /v1/tasks/{task}/finish'),
    needs: ['task.finish'],
    run: async (client, { task: id, result }, options) => {
      const input = { path: { task: id }, body: { result } };
      return formatTask(await client.call('POST /v1/tasks/{task}/finish', input, options));
    },
  }),
  join_tasks: tool({
    description:
      'Waits for child tasks of your task: for all of them, for any, for a quorum, or for the ' +
      'first one whose result is verified. The answer has the result of each child so far. While ' +
      'it says "waiting", call wait_for_join with its id.',
    input: z.strictObject({
      task: task.describe('Your task, the parent.'),
      ...joinRequestSchema.shape,
      waitMs,
    }),
    output: responses('POST /v1/tasks/{task}/joins'),
    needs: ['task.join'],
    run: async (client, { task: id, waitMs: wait, ...body }, options) => {
      const input = { path: { task: id }, query: { waitMs: wait }, body };
      return formatJoin(await client.call('POST /v1/tasks/{task}/joins', input, options));
    },
  }),
  wait_for_join: tool({
    description: 'Shows a join and waits until it is settled. Repeat it while it says "waiting".',
    input: z.strictObject({ join: z.string().min(1).describe('From join_tasks.'), waitMs }),
    output: responses('GET /v1/joins/{join}'),
    needs: ['task.join'],
    run: async (client, { join, waitMs: wait }, options) => {
      const input = { path: { join }, query: { waitMs: wait } };
      return formatJoin(await client.call('GET /v1/joins/{join}', input, options));
    },
  }),
  grade_task: tool({
    description:
      'Accepts or refuses the result of a task that another agent finished. A join may demand ' +
      'this. You cannot grade your own work.',
    input: z.strictObject({ task: z.string().min(1), ...gradeRequestSchema.shape }),
    output: responses('POST /v1/tasks/{task}/grade'),
    needs: ['task.grade'],
    run: async (client, { task: id, ...body }, options) => {
      const input = { path: { task: id }, body };
      const value = await client.call('POST /v1/tasks/{task}/grade', input, options);
      return { value, text: `${value.accepted ? 'Accepted' : 'Refused'} ${id}.` };
    },
  }),
  renew_task: tool({
    description:
      'Says that you still work on a task with a lease. Every other call for the task does so too.',
    input: z.strictObject({ task }),
    output: responses('POST /v1/tasks/{task}/renew'),
    needs: ['task.renew'],
    run: async (client, path, options) =>
      formatTask(await client.call('POST /v1/tasks/{task}/renew', { path }, options)),
  }),
  cancel_task: tool({
    description: 'Cancels a task and all its child tasks.',
    input: z.strictObject({ task, reason: z.string().min(1) }),
    output: responses('POST /v1/tasks/{task}/cancel'),
    needs: ['task.cancel'],
    run: async (client, { task: id, reason }, options) => {
      const input = { path: { task: id }, body: { reason } };
      const value = await client.call('POST /v1/tasks/{task}/cancel', input, options);
      return { value, text: `Cancelled ${value.cancelled} tasks.` };
    },
  }),
};
