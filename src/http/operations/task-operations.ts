import { z } from 'zod';
import {
  gradeRequestSchema,
  gradeSchema,
  joinRequestSchema,
  joinSchema,
} from '../../gate/joins/api-schema.ts';
import { taskRequestSchema, taskSchema } from '../../gate/tasks/api-schema.ts';
import { apiLimits } from '../limits.ts';
import { type Operation, readers } from './operation.ts';

const taskPath = z.strictObject({ task: z.string() });
const waiting = z.strictObject({
  waitMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(apiLimits.waitMsMax)
    .default(0)
    .describe('How long to wait until it is settled.'),
});

/** The tree of tasks: what each was given, and what it has left. */
export const taskOperations = {
  'POST /v1/tasks': {
    summary: 'Opens a task, about a change of the running version where there are services.',
    body: taskRequestSchema.extend({
      change: z
        .boolean()
        .optional()
        .describe('Whether it is about a change; as there are services if left out.'),
    }),
    response: taskSchema,
    roles: ['agent', 'developer'],
    recorded: true,
  },
  'GET /v1/tasks': {
    summary: 'Open tasks, those that end soonest first: an agent’s own, for people all.',
    query: z.strictObject({
      parent: z.string().optional().describe('Only those that were split off this one.'),
      after: z.string().optional().describe('The `next` of the page before.'),
      limit: z.coerce.number().int().min(1).max(apiLimits.tasksPageMax).default(100),
    }),
    response: z.object({
      tasks: z.array(taskSchema),
      next: z.string().nullable().describe('Null: there are no more.'),
    }),
    roles: ['agent', ...readers],
  },
  'GET /v1/tasks/{task}': {
    summary: 'Where a task stands, and what it has left.',
    path: taskPath,
    response: taskSchema,
    roles: ['agent', ...readers],
  },
  'POST /v1/tasks/{task}/split': {
    summary: 'Splits a child off, with a part of what the task has left.',
    path: taskPath,
    body: taskRequestSchema,
    response: taskSchema,
    roles: ['agent', 'developer'],
    recorded: true,
  },
  'POST /v1/tasks/{task}/finish': {
    summary: 'Finishes a task, if its contract is met; what is left returns to its parent.',
    path: taskPath,
    body: z.strictObject({ result: z.json() }),
    response: taskSchema,
    roles: ['agent', 'developer'],
    recorded: true,
  },
  'POST /v1/tasks/{task}/move': {
    summary: 'Takes a task to its next phase.',
    path: taskPath,
    body: z.strictObject({ phase: z.string().min(1) }),
    response: taskSchema,
    roles: ['agent', 'developer'],
    recorded: true,
  },
  'POST /v1/tasks/{task}/renew': {
    summary: 'Says that the agent of a task with a lease is still there.',
    path: taskPath,
    response: taskSchema,
    roles: ['agent', 'developer'],
  },
  'POST /v1/tasks/{task}/grade': {
    summary: 'Accepts or refuses the result of a finished task; never by its author.',
    path: taskPath,
    body: gradeRequestSchema,
    response: gradeSchema,
    roles: ['agent', 'developer'],
    recorded: true,
  },
  'POST /v1/tasks/{task}/joins': {
    summary: 'Opens a join over children of a task, and waits for it if asked to.',
    path: taskPath,
    query: waiting,
    body: joinRequestSchema,
    response: joinSchema,
    roles: ['agent', 'developer'],
  },
  'GET /v1/joins/{join}': {
    summary: 'What each child of a join has contributed; waits until it is settled if asked to.',
    path: z.strictObject({ join: z.string() }),
    query: waiting,
    response: joinSchema,
    roles: ['agent', ...readers],
  },
  'GET /v1/tasks/{task}/tree': {
    summary: 'A task and everything below it, with grades and joins.',
    path: taskPath,
    response: z.object({
      nodes: z.array(
        z.object({
          depth: z.int().describe('0 is the task itself; each node follows its parent.'),
          task: taskSchema,
          grade: z.object({ grader: z.string(), accepted: z.boolean() }).nullable(),
          joins: z.array(joinSchema),
        }),
      ),
      isCut: z.boolean().describe('There are more tasks.'),
    }),
    roles: ['agent', ...readers],
  },
  'POST /v1/tasks/{task}/cancel': {
    summary: 'Cancels a task and everything below it.',
    path: taskPath,
    body: z.strictObject({ reason: z.string().min(1) }),
    response: z.object({ cancelled: z.int() }),
    roles: ['agent', 'developer', 'operator'],
    recorded: true,
  },
} as const satisfies Record<string, Operation>;
