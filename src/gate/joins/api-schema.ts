import { z } from 'zod';
import type { Immutable } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';

const taskId = z.string().min(1).max(100);
const evidenceKind = z.string().regex(/^[A-Za-z][\w.-]{0,63}$/, 'use a kind of evidence');

export const joinRequestSchema = z.strictObject({
  mode: z
    .enum(['all', 'any', 'quorum', 'first-verified'])
    .describe('How many children have to count: all, one, `count`, or one with evidence.'),
  count: z.int().min(1).exactOptional().describe('Only with `quorum`.'),
  children: z
    .array(taskId)
    .min(1)
    .max(gateLimits.joinChildrenMax)
    .exactOptional()
    .describe('Child tasks; the open ones if left out.'),
  evidence: z
    .array(evidenceKind)
    .max(gateLimits.joinEvidenceMax)
    .exactOptional()
    .describe('Kinds of evidence that must exist about each child; its subject is the task id.'),
  graded: z
    .boolean()
    .exactOptional()
    .describe('Whether another agent than its author must have accepted the result of a child.'),
  rest: z
    .enum(['keep', 'cancel'])
    .exactOptional()
    .describe('What happens to children that are still open at the end; `keep` if left out.'),
  expiresInMs: z
    .int()
    .min(1)
    .max(gateLimits.joinMsMax)
    .exactOptional()
    .describe('The deadline; none if left out.'),
});

export type JoinRequest = Immutable<z.infer<typeof joinRequestSchema>>;

const partState = z.enum(['counted', 'open', 'unproven', 'failed']);

/** Whether a child counts. `unproven`: it is finished, and what the join demands is missing. */
export type PartState = z.infer<typeof partState>;

const joinState = z.enum(['waiting', 'met', 'missed']);

export const joinSchema = z.object({
  join: z.string(),
  task: z.string().describe('The parent of the children.'),
  mode: joinRequestSchema.shape.mode,
  needed: z.int().describe('How many children have to count.'),
  state: joinState,
  reason: z.string().describe('Why it is met or missed; empty while it waits.'),
  evidence: z.array(z.string()),
  graded: z.boolean(),
  rest: z.enum(['keep', 'cancel']),
  expiresAt: z.int().nullable(),
  children: z.array(
    z.object({
      task: z.string(),
      agent: z.string(),
      state: partState,
      missing: z.array(z.string()).describe('What keeps it from counting.'),
      replaces: z.string().nullable().describe('The lost task whose place it has.'),
      grader: z.string().nullable(),
      result: z.json().nullable().describe('Null while it is open, and once it is forgotten.'),
    }),
  ),
});

type Join = Immutable<z.infer<typeof joinSchema>>;

/** A join as the ledger knows it. Which children count is judged anew until it is settled. */
export type JoinRow = Omit<Join, 'children'> & {
  readonly agent: string;
  readonly children: readonly string[];
  /** The entry that ended it; 0 while it waits. */
  readonly settledSeq: number;
};

export const gradeRequestSchema = z.strictObject({
  accepted: z.boolean().describe('Whether the result is good.'),
  reason: z.string().min(1).max(2_000).describe('Why; the author reads it.'),
});

export type GradeRequest = Immutable<z.infer<typeof gradeRequestSchema>>;

export const gradeSchema = z.object({
  task: z.string(),
  author: z.string(),
  grader: z.string(),
  accepted: z.boolean(),
});

/** The newest grade of a finished task. */
export type GradeRow = Immutable<z.infer<typeof gradeSchema>> & {
  /** The entry that contains the reason. */
  readonly gradedSeq: number;
};
