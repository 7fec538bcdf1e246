import { z } from 'zod';
import type { Client } from '../http/index.ts';
import type { Told } from './answer.ts';
import { tellChange, tellPromotion, tellTask, tellTest } from './tell-task.ts';
import { tellVerdict } from './tell-verdict.ts';

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly answerMsMax: number;
}

/** One thing that an agent can do: one call of the API, and how its answer is told. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly readOnly?: true;
  run(client: Client, input: z.output<Input>, options: CallOptions): Promise<Told>;
}

function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool {
  return definition as unknown as Tool;
}

const task = z.string().min(1).describe('The id that open_task gave.');

/** In the order in which a task goes. */
export const tools: Readonly<Record<string, Tool>> = {
  open_task: tool({
    title: 'Open a task',
    description:
      'Start here. Opens a task, where there are services on the version that runs now. The ' +
      'answer has the task id that every other tool takes, and the commit for patches (base).',
    input: z.strictObject({
      goal: z.string().min(1).describe('What shall be achieved, in one or two sentences.'),
    }),
    run: async (client, { goal }, options) =>
      tellTask(await client.call('POST /v1/tasks', { body: { goal } }, options)),
  }),
  get_task: tool({
    title: 'Look at a task',
    description:
      'Tells where a task stands, what it has left of its budget, and which tool is next. ' +
      'Changes nothing. Use it when you do not know whether a call got through.',
    input: z.strictObject({ task }),
    readOnly: true,
    run: async (client, input, options) =>
      tellTask(await client.call('GET /v1/tasks/{task}', { path: input }, options)),
  }),
  submit_test: tool({
    title: 'Submit a failing test',
    description:
      'Runs a test on the system as it is now. It must fail there, and hold once the change is ' +
      'in; without one no change is admitted. A test is a program that sends requests to ' +
      'BASE_URL with the headers in HEADERS (a JSON object), prints one JSON line per check ' +
      '{"check","passed","expected","actual","requestId"}, and exits with 0, or 1 if a check ' +
      'failed. It may import the files of the repository.',
    input: z.strictObject({
      task,
      path: z.string().min(1).describe('Its place in the repository, e.g. suites/rounding.ts.'),
      code: z.string().min(1).describe('The whole text of the file.'),
    }),
    run: async (client, { task, path, code }, options) => {
      const input = { path: { task }, body: { path, code } };
      return tellTest(await client.call('POST /v1/tasks/{task}/test', input, options));
    },
  }),
  propose_change: tool({
    title: 'Propose a change',
    description:
      'Hands in the change of the task, or a repaired one after a verdict that was no pass. ' +
      'Nothing is applied yet: it is only checked that it applies, and which services it touches.',
    input: z.strictObject({
      task,
      patch: z
        .string()
        .min(1)
        .describe('A unified diff as git makes it, on the base of the task, from the root.'),
    }),
    run: async (client, { task, patch }, options) => {
      const input = { path: { task }, body: { patch } };
      return tellChange(await client.call('POST /v1/tasks/{task}/change', input, options));
    },
  }),
  verify_change: tool({
    title: 'Verify the change',
    description:
      'Starts the changed services beside the running system, runs all suites and your test on ' +
      'them and on the unchanged version, and compares what the services say to each other. ' +
      'Takes up to minutes. Answers with a verdict (pass, fail, inconclusive) and findings: act ' +
      'on them. After three verdicts that are no pass, a person has to look.',
    input: z.strictObject({ task }),
    run: async (client, input, options) =>
      tellVerdict(await client.call('POST /v1/tasks/{task}/verify', { path: input }, options)),
  }),
  promote_change: tool({
    title: 'Promote the change',
    description:
      'Makes the change that passed part of the running system, without a gap in service. ' +
      'Only after verify_change said pass.',
    input: z.strictObject({ task }),
    run: async (client, input, options) =>
      tellPromotion(await client.call('POST /v1/tasks/{task}/promote', { path: input }, options)),
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
    run: async (client, { task, ...wish }, options) => {
      const input = { path: { task }, body: wish };
      return tellTask(await client.call('POST /v1/tasks/{task}/split', input, options));
    },
  }),
  finish_task: tool({
    title: 'Finish a task',
    description:
      'Ends a task with its result. It may be refused until the steps and the evidence are there ' +
      'that lead to such a result. A task about a change is ended by promote_change.',
    input: z.strictObject({ task, result: z.json().describe('What came out.') }),
    run: async (client, { task, result }, options) => {
      const input = { path: { task }, body: { result } };
      return tellTask(await client.call('POST /v1/tasks/{task}/finish', input, options));
    },
  }),
};
