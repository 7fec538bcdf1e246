import { z } from 'zod';
import { apiLimits } from '../limits.ts';
import { type Operation, readers } from './operation.ts';

const taskPath = z.strictObject({ task: z.string() });

const budget = z.object({
  limit: z.int(),
  spent: z.int(),
  reserved: z.int().describe('Of calls under way.'),
  carved: z.int().describe('Set apart for tasks that were split off.'),
  free: z.int(),
});

const change = z.object({
  base: z.string().describe('The version on which it is worked.'),
  phase: z.enum(['red', 'change', 'verify', 'promote', 'held', 'done']),
  repairs: z.int().describe('Verdicts that were not a pass.'),
  test: z.string().nullable(),
  testSeq: z.int(),
  change: z.string().nullable(),
  changeSeq: z.int(),
  verdict: z.string().nullable(),
  attempts: z
    .array(
      z.object({
        change: z.string(),
        id: z.string().describe('Of the verdict.'),
        verdict: z.string(),
        reason: z.string(),
        findings: z.array(z.string()).describe('Their ids.'),
      }),
    )
    .describe('What was tried and did not pass, oldest first.'),
});

const task = z.object({
  task: z.string(),
  parent: z.string().nullable(),
  agent: z.string().describe('Who owns it and may propose for it.'),
  status: z.enum(['open', 'closed', 'cancelled']),
  goal: z.string().nullable().describe('Null once forgotten.'),
  tools: z.array(z.string()).nullable().describe('Null: whatever its owner may use.'),
  resources: z.array(z.string()).nullable(),
  phases: z.array(z.string()),
  phase: z.string().nullable(),
  budgets: z.record(z.string(), budget).describe('Only what is limited.'),
  children: z.int().describe('Open ones.'),
  openProposals: z.int(),
  expiresAt: z.int().nullable(),
  change: change.nullable().describe('Null: the task is not about a change of the system.'),
});

const name = z.string().min(1).max(400);
const names = z.array(name).max(100);

const wish = z.strictObject({
  goal: z.string().min(1).describe('What shall be achieved.'),
  agent: z
    .string()
    .regex(/^agent:[A-Za-z0-9][\w.@+-]{0,99}$/, 'use agent:<name>')
    .optional()
    .describe('Whose task it will be; the caller’s if left out.'),
  budgets: z
    .record(z.string(), z.int().min(0))
    .optional()
    .describe('What it may use, by dimension; money in minor units.'),
  tools: names.optional().describe('Patterns; `*` matches any characters.'),
  resources: names.optional().describe('Patterns.'),
  phases: names.optional().describe('In the order in which they are gone through.'),
  expiresInMs: z.int().min(1).optional(),
});

/** The tree of tasks: what each was given, and what it has left. */
export const taskOperations = {
  'POST /v1/tasks': {
    summary: 'Opens a task, about a change of the running version where there are services.',
    body: wish.extend({
      change: z
        .boolean()
        .optional()
        .describe('Whether it is about a change; as there are services if left out.'),
    }),
    response: task,
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
      tasks: z.array(task),
      next: z.string().nullable().describe('Null: there are no more.'),
    }),
    roles: ['agent', ...readers],
  },
  'GET /v1/tasks/{task}': {
    summary: 'Where a task stands, and what it has left.',
    path: taskPath,
    response: task,
    roles: ['agent', ...readers],
  },
  'POST /v1/tasks/{task}/split': {
    summary: 'Splits a child off, with a part of what the task has left.',
    path: taskPath,
    body: wish,
    response: task,
    roles: ['agent', 'developer'],
    recorded: true,
  },
  'POST /v1/tasks/{task}/finish': {
    summary: 'Finishes a task, if its contract is met; what is left returns to its parent.',
    path: taskPath,
    body: z.strictObject({ result: z.json() }),
    response: task,
    roles: ['agent', 'developer'],
    recorded: true,
  },
  'POST /v1/tasks/{task}/move': {
    summary: 'Takes a task to its next phase.',
    path: taskPath,
    body: z.strictObject({ phase: z.string().min(1) }),
    response: task,
    roles: ['agent', 'developer'],
    recorded: true,
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
