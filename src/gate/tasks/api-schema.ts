import { z } from 'zod';
import type { Actor, Immutable } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';

const taskBudget = z.object({
  limit: z.int(),
  spent: z.int(),
  reserved: z.int().describe('Of calls under way.'),
  carved: z.int().describe('Set apart for tasks that were split off.'),
});

/**
 * What a task has of one dimension. While the task is open, `spent` is paid out of its own limit.
 * Afterwards it is a record of what it cost: the nearest open task above has it among its own.
 */
export type TaskBudget = Immutable<z.infer<typeof taskBudget>>;

const changePhase = z.enum(['red', 'change', 'verify', 'promote', 'held', 'done']);

/**
 * Where a task that is about a change stands. First a test that fails, then the change, then its
 * verdict, then its promotion; `held` waits for a person.
 */
export type ChangePhase = z.infer<typeof changePhase>;

const attempt = z.object({
  change: z.string(),
  id: z.string().describe('Of the verdict.'),
  verdict: z.string(),
  reason: z.string(),
  findings: z.array(z.string()).describe('Their ids.'),
});

/** A change that did not pass, and why. */
export type ChangeAttempt = Immutable<z.infer<typeof attempt>>;

const changeTask = z.object({
  base: z.string().describe('The version on which it is worked.'),
  phase: changePhase,
  repairs: z.int().describe('Verdicts that were not a pass.'),
  /** The failing test that was seen, and the entry that holds it. */
  test: z.string().nullable(),
  testSeq: z.int(),
  /** The change that is admitted now, and the entry that holds it. */
  change: z.string().nullable(),
  changeSeq: z.int(),
  /** The verdict that it passed. */
  verdict: z.string().nullable(),
  attempts: z.array(attempt).describe('What was tried and did not pass, oldest first.'),
});

/** What a task that is about a change has besides its place in the tree. */
export type ChangeTaskRow = Immutable<z.infer<typeof changeTask>> & {
  readonly task: string;
  readonly agent: string;
};

/** What happens to a task whose agent has gone. */
const onLost = z.enum(['cancel', 'ask', 'replace']);

const taskLease = z.object({
  leaseMs: z.int(),
  onLost,
  renewedAt: z.int().describe('When its agent last did something for it.'),
  isLost: z.boolean().describe('Its agent did nothing for that long, and a person has to look.'),
});

export const taskSchema = z.object({
  task: z.string(),
  parent: z.string().nullable(),
  agent: z.string().describe('Who owns it and may propose for it.'),
  status: z.enum(['open', 'closed', 'cancelled']),
  goal: z.string().nullable().describe('Null once forgotten.'),
  tools: z.array(z.string()).nullable().describe('Null: whatever its owner may use.'),
  resources: z.array(z.string()).nullable(),
  phases: z.array(z.string()),
  phase: z.string().nullable(),
  budgets: z
    .record(z.string(), taskBudget.extend({ free: z.int() }))
    .describe('Only what is limited.'),
  children: z.int().describe('Open ones.'),
  openProposals: z.int(),
  expiresAt: z.int().nullable(),
  change: changeTask.nullable().describe('Null: the task is not about a change of the system.'),
  lease: taskLease.nullable().describe('Null: nobody checks whether its agent is still there.'),
  replacedBy: z.string().nullable().describe('The task that was split off in its place.'),
});

type Task = Immutable<z.infer<typeof taskSchema>>;
export type TaskLease = NonNullable<Task['lease']>;

/** A node of the delegation tree, as the ledger knows it: the only source of its authority. */
export type TaskRow = Omit<Task, 'goal' | 'budgets' | 'change' | 'lease' | 'replacedBy'> & {
  readonly lease?: TaskLease;
  readonly replacedBy?: string;
  /** Joins that it counts for, also settled ones. */
  readonly joins?: readonly string[];
  /** Its ancestors, the root first. */
  readonly path: readonly string[];
  /** Only what is limited: a dimension that is not here is bounded by the accounts alone. */
  readonly budgets: Readonly<Record<string, TaskBudget>>;
  /** The entry that opened it, which holds its goal. */
  readonly openedSeq: number;
  /** The entry that ended it, which holds its result; 0 while it is open. */
  readonly endedSeq: number;
};

const names = z.array(z.string().min(1).max(400)).max(100);

export const taskRequestSchema = z.strictObject({
  goal: z.string().min(1).describe('What shall be achieved.'),
  agent: z
    .string()
    .regex(/^agent:[A-Za-z0-9][\w.@+-]{0,99}$/, 'use agent:<name>')
    .exactOptional()
    .describe('Whose task it will be; the caller’s if left out.'),
  budgets: z
    .record(z.string(), z.int().min(0))
    .exactOptional()
    .describe('What it may use, by dimension; money in minor units.'),
  tools: names.exactOptional().describe('Patterns; `*` matches any characters.'),
  resources: names.exactOptional().describe('Patterns.'),
  phases: names.exactOptional().describe('In the order in which they are gone through.'),
  expiresInMs: z.int().min(1).exactOptional(),
  leaseMs: z
    .int()
    .min(gateLimits.taskLeaseMsMin)
    .max(gateLimits.taskLeaseMsMax)
    .exactOptional()
    .describe('Its agent must do something for it within this time, again and again.'),
  onLost: onLost
    .exactOptional()
    .describe('What happens if it does not: `cancel` if left out; needs leaseMs.'),
});

/** What somebody wants a new task to be like. What is left out is as its parent has it. */
export type TaskRequest = Omit<Immutable<z.infer<typeof taskRequestSchema>>, 'agent'> & {
  readonly agent?: Actor;
};
