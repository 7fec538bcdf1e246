import { z } from 'zod';
import { limits } from '../../kernel/index.ts';
import { tellChange, tellPromotion, tellTest } from '../tell-task.ts';
import { tellValidation } from '../tell-validation.ts';
import { tellRuns, tellVerdict } from '../tell-verdict.ts';
import { type Tool, tool } from '../tool.ts';

const task = z.string().min(1).describe('The id that open_task gave.');

const profile = z
  .enum(['quick', 'full'])
  .optional()
  .describe('full also measures several starts and puts load on both versions; minutes.');

/** The way of a change, in the order in which it goes. */
export const changeTools: Readonly<Record<string, Tool>> = {
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
    run: async (client, { task: id, path, code }, options) => {
      const input = { path: { task: id }, body: { path, code } };
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
    run: async (client, { task: id, patch }, options) => {
      const input = { path: { task: id }, body: { patch } };
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
    input: z.strictObject({
      task,
      profile,
    }),
    run: async (client, { task: id, profile }, options) => {
      const input = { path: { task: id }, query: profile ? { profile } : {} };
      return tellVerdict(await client.call('POST /v1/tasks/{task}/verify', input, options));
    },
  }),
  promote_change: tool({
    title: 'Promote the change',
    description:
      'Makes the change that passed part of the running system, without a gap in service. ' +
      'Only after verify_change said pass.',
    input: z.strictObject({ task }),
    run: async (client, path, options) =>
      tellPromotion(await client.call('POST /v1/tasks/{task}/promote', { path }, options)),
  }),
  deploy_and_validate: tool({
    title: 'Deploy and validate a change',
    description:
      'Runs a change beside the running system, without a task, and judges it within a time: ' +
      'tests_passed and metrics_acceptable are both true for a pass and for nothing else; ' +
      'failed_tests, degraded_metrics and error_logs say what to repair. Nothing is promoted.',
    input: z.strictObject({
      changes: z
        .string()
        .min(1)
        .describe('A unified diff as git makes it, on what runs now, from the root.'),
      validation_suite: z
        .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
        .optional()
        .describe('One suite or several; all of them if left out.'),
      timeout_minutes: z
        .number()
        .positive()
        .max(limits.validationMinutesMax)
        .optional()
        .describe('Then it answers with what is known by then; 10 if left out.'),
      profile,
    }),
    run: async (client, body, options) =>
      tellValidation(await client.call('POST /v1/validations', { body }, options)),
  }),
  get_verdict: tool({
    title: 'Read a verdict',
    description: 'The whole verdict with every finding, its request’s hops and its logs.',
    input: z.strictObject({ verdict: z.string().min(1).describe('Its id: verdict_…') }),
    searched: 'the verdicts that you asked for, in the ledger',
    run: async (client, path, options) => {
      const value = await client.call('GET /v1/verdicts/{verdict}', { path }, options);
      return { value, text: `${tellVerdict(value).text}\n${JSON.stringify(value.findings)}` };
    },
  }),
  list_suites: tool({
    title: 'List the suites',
    description: 'Lists the programs that check this system.',
    input: z.strictObject({}),
    searched: 'suites in surety.yaml',
    run: async (client, _, options) => {
      const { suites } = await client.call('GET /v1/suites', {}, options);
      const text = suites.map(({ suite, command }) => `- ${suite}: ${command}`).join('\n');
      return { value: { suites }, text: text || 'There are no suites.' };
    },
  }),
  run_suite: tool({
    title: 'Run suites',
    description:
      'Runs suites on what runs now, or on a lane of yours, and tells every check. It is a look ' +
      'at the system: no verdict comes of it.',
    input: z.strictObject({
      suites: z.array(z.string()).min(1).optional().describe('All suites if left out.'),
      lane: z.string().optional().describe('A lane of yours; what runs now if left out.'),
    }),
    run: async (client, body, options) =>
      tellRuns(await client.call('POST /v1/suites/run', { body }, options)),
  }),
};
