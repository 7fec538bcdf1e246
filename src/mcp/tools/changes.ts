import { z } from 'zod';
import type { OperationResponse } from '../../http/index.ts';
import {
  profileSchema,
  submittedTestSchema,
  suitesRequestSchema,
  validationRequestSchema,
  verdictRequestSchema,
} from '../../verify/api-schema.ts';
import { formatChange, formatPromotion, formatTest } from '../format-task.ts';
import { formatRuns, formatVerdict } from '../format-verdict.ts';
import { shortValue } from '../short.ts';
import { responses, type Tool, tool } from '../tool.ts';
import type { ToolAnswer } from '../tool-answer.ts';

const task = z.string().min(1).describe('The id from the answer of open_task.');

const profile = profileSchema
  .optional()
  .describe('full also measures several starts and puts load on both versions. It takes minutes.');

const callers = verdictRequestSchema.shape.callers.describe(
  'Unchanged callers of the change: shared, own copies, or auto. Default: as in surety.yaml.',
);

/** The steps of a change, in order. */
export const changeTools: Readonly<Record<string, Tool>> = {
  submit_test: tool({
    description:
      'Runs a test on the baseline. It must fail there, and pass with your change. No change is ' +
      'admitted without such a test. A test is a program that sends requests to ' +
      'BASE_URL with the headers in HEADERS (a JSON object), prints one JSON line per check ' +
      '{"check","passed","expected","actual","requestId"}, and exits with 0, or 1 if a check ' +
      'failed. It may import the files of the repository.',
    input: z.strictObject({
      task,
      path: submittedTestSchema.shape.path
        .min(1)
        .describe('Its path in the repository, e.g. suites/rounding.ts.'),
      code: submittedTestSchema.shape.code.min(1).describe('The full text of the file.'),
    }),
    output: responses('POST /v1/tasks/{task}/test'),
    needs: ['test.submit'],
    run: async (client, { task: id, path, code }, options) => {
      const input = { path: { task: id }, body: { path, code } };
      return formatTest(await client.call('POST /v1/tasks/{task}/test', input, options));
    },
  }),
  propose_change: tool({
    description:
      'Submits the change of the task, or a repaired one after a verdict other than pass. ' +
      'Surety checks that the patch applies and which services it touches. It applies nothing yet.',
    input: z.strictObject({
      task,
      patch: z
        .string()
        .min(1)
        .describe(
          'A unified diff from git, against the base of the task, with paths from the root.',
        ),
    }),
    output: responses('POST /v1/tasks/{task}/change'),
    needs: ['change.propose'],
    run: async (client, { task: id, patch }, options) => {
      const input = { path: { task: id }, body: { patch } };
      return formatChange(await client.call('POST /v1/tasks/{task}/change', input, options));
    },
  }),
  verify_change: tool({
    description:
      'Starts the changed services beside the baseline, runs all suites and your test on both, ' +
      'and compares the calls between services. This can take minutes. Returns a verdict (pass, ' +
      'fail, inconclusive) and findings to act on. After three verdicts other than pass, a ' +
      'person has to look at the task.',
    input: z.strictObject({ task, profile, callers }),
    output: responses('POST /v1/tasks/{task}/verify'),
    needs: ['task.verify'],
    run: async (client, { task: id, ...query }, options) => {
      const input = { path: { task: id }, query };
      return formatVerdict(await client.call('POST /v1/tasks/{task}/verify', input, options));
    },
  }),
  promote_change: tool({
    description:
      'Makes a change that passed part of the baseline, without downtime. ' +
      'Only possible after verify_change returned pass.',
    input: z.strictObject({ task }),
    output: responses('POST /v1/tasks/{task}/promote'),
    needs: ['change.promote'],
    run: async (client, path, options) =>
      formatPromotion(await client.call('POST /v1/tasks/{task}/promote', { path }, options)),
  }),
  deploy_and_validate: tool({
    description:
      'Runs a change beside the baseline, without a task, and judges it within a time limit. ' +
      'tests_passed and metrics_acceptable are both true only for a pass. ' +
      'failed_tests, degraded_metrics and error_logs say what to repair. Nothing is promoted.',
    input: validationRequestSchema.extend({
      changes: validationRequestSchema.shape.changes.describe(
        'A unified diff from git, against the baseline, with paths from the root.',
      ),
      validation_suite: validationRequestSchema.shape.validation_suite.describe(
        'One suite or several. Default: all.',
      ),
      timeout_minutes: validationRequestSchema.shape.timeout_minutes.describe(
        'After this time the answer has what is known by then. Default: 10.',
      ),
      profile,
    }),
    output: responses('POST /v1/validations'),
    needs: ['change.verify'],
    run: async (client, body, options) =>
      formatValidation(await client.call('POST /v1/validations', { body }, options)),
  }),
  get_verdict: tool({
    description: 'Shows the full verdict: every finding with the hops and logs of its request.',
    input: z.strictObject({ verdict: z.string().min(1).describe('Its id: verdict_…') }),
    searched: 'the verdicts on your changes, in the ledger',
    output: responses('GET /v1/verdicts/{verdict}'),
    needs: ['task.verify', 'change.verify'],
    run: async (client, path, options) => {
      const value = await client.call('GET /v1/verdicts/{verdict}', { path }, options);
      return { value, text: `${formatVerdict(value).text}\n${JSON.stringify(value.findings)}` };
    },
  }),
  list_suites: tool({
    description: 'Lists the suites: programs that check this system.',
    input: z.strictObject({}),
    searched: 'suites in surety.yaml',
    output: responses('GET /v1/suites'),
    needs: ['suite.run', 'test.submit', 'task.verify', 'change.verify'],
    run: async (client, _, options) => {
      const { suites } = await client.call('GET /v1/suites', {}, options);
      const text = suites.map(({ suite, command }) => `- ${suite}: ${command}`).join('\n');
      return { value: { suites }, text: text || 'There are no suites.' };
    },
  }),
  run_suite: tool({
    description:
      'Runs suites on the baseline or on one of your lanes, and reports every check. ' +
      'This gives no verdict.',
    input: z.strictObject({
      suites: suitesRequestSchema.shape.suites.describe('Default: all suites.'),
      lane: suitesRequestSchema.shape.lane.describe('One of your lanes. Default: the baseline.'),
    }),
    output: responses('POST /v1/suites/run'),
    needs: ['suite.run'],
    run: async (client, body, options) =>
      formatRuns(await client.call('POST /v1/suites/run', { body }, options)),
  }),
};

type Validation = OperationResponse<'POST /v1/validations'>;

const logLinesMax = 20;

/** First the two flags that a harness checks, then what an agent needs for a repair. */
function formatValidation(validation: Validation): ToolAnswer {
  const {
    tests_passed: tests,
    metrics_acceptable: metrics,
    verdict,
    error_logs: logs,
  } = validation;
  const formatted = formatVerdict(verdict);
  const next = { pass: 'Nothing is promoted by this.', fail: 'Repair it, then call it again.' };
  const last = verdict.verdict === 'inconclusive' ? 'Nothing was learnt.' : next[verdict.verdict];
  const lines = formatted.text.split('\n').filter((line) => !line.startsWith('Next: '));
  const text = [
    `tests_passed: ${tests}, metrics_acceptable: ${metrics}`,
    ...lines,
    ...logs.slice(-logLinesMax).map((line) => `log: ${line}`),
    last,
  ].join('\n');
  const failed_tests = validation.failed_tests.map((test) => ({
    ...test,
    expected: shortValue(test.expected),
    actual: shortValue(test.actual),
  }));
  return { ...formatted, value: { ...validation, failed_tests, verdict: formatted.value }, text };
}
