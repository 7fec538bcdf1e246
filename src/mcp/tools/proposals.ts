import { z } from 'zod';
import { plannedStepSchema, proposalSchema } from '../../gate/api-schema.ts';
import type { OperationResponse } from '../../http/index.ts';
import { faultFromReport, fault as makeFault } from '../../kernel/index.ts';
import { responses, type Tool, tool } from '../tool.ts';
import { formatList, type ToolAnswer } from '../tool-answer.ts';

type Outcome = OperationResponse<'POST /v1/proposals'>;
type Judged = OperationResponse<'POST /v1/plans/check'>['steps'][number];
type Explanation = OperationResponse<'GET /v1/proposals/{proposal}'>;
type Approval = OperationResponse<'GET /v1/approvals/{approval}'>;

const call = plannedStepSchema.extend({
  tool: plannedStepSchema.shape.tool.describe('A tool that list_contracts shows.'),
  arguments: plannedStepSchema.shape.arguments.describe(
    'The arguments that its contract declares.',
  ),
});
const proposal = z.string().min(1).describe('The id from the answer of propose, or from a denial.');

/** Calls of guarded tools, and their outcomes. */
export const proposalTools: Readonly<Record<string, Tool>> = {
  propose: tool({
    description:
      'Calls a tool that list_contracts shows. Surety decides the call, executes it at most ' +
      'once and records it. A denial names the rule, and its remedy says what would make the ' +
      'call pass. A repeated call with the same key returns the recorded outcome, so you can ' +
      'safely repeat a call whose answer was lost.',
    input: call.extend({
      task: proposalSchema.shape.task.describe('The task that the call belongs to.'),
      key: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('The idempotency key: use the same key to repeat a call.'),
      waitMs: proposalSchema.shape.waitMs.describe('How long to wait for an approval.'),
      fences: proposalSchema.shape.fences.describe(
        'Locks that you hold and that protect this call, with their fences: {"staging-db": 7}.',
      ),
    }),
    output: responses('POST /v1/proposals'),
    needs: 'contracts',
    run: async (client, { key, ...body }, options) => {
      const keyed = { ...options, ...(key === undefined ? {} : { key }) };
      return formatOutcome(await client.call('POST /v1/proposals', { body }, keyed));
    },
  }),
  check_plan: tool({
    description:
      'Decides a sequence of calls before you make any of them. Each step is decided on the ' +
      'state that the steps before it would leave. Executes nothing and charges nothing.',
    input: z.strictObject({
      steps: z.array(call).min(1),
    }),
    searched: 'the policy in force, your budgets, evidence and past calls as they are now',
    output: responses('POST /v1/plans/check'),
    needs: 'contracts',
    run: async (client, { steps }, options) => {
      const body = { steps };
      const { ok, steps: judged } = await client.call('POST /v1/plans/check', { body }, options);
      const refused = judged.filter(({ verdict }) => verdict !== 'allow').length;
      const head = ok ? 'Every step would be allowed.' : `${refused} steps would not be allowed.`;
      return formatList({ name: 'steps', items: judged, line: judgedLine, head, more: { ok } });
    },
  }),
  explain_proposal: tool({
    description:
      'Explains why one of your proposals was allowed, denied or held: every rule that applied, ' +
      'the values it saw, what would make the call pass, and what has happened since.',
    input: z.strictObject({ proposal }),
    searched: 'the ledger, from the time of the proposal',
    output: responses('GET /v1/proposals/{proposal}'),
    run: async (client, path, options) =>
      formatExplanation(await client.call('GET /v1/proposals/{proposal}', { path }, options)),
  }),
  get_outcome: tool({
    description: 'Shows the outcome of one of your proposals, with the full answer of its tool.',
    input: z.strictObject({ proposal }),
    searched: 'the recorded outcomes of your proposals',
    output: responses('GET /v1/proposals/{proposal}/outcome'),
    run: async (client, path, options) => {
      const value = await client.call('GET /v1/proposals/{proposal}/outcome', { path }, options);
      const came = value.fault ? `${value.fault.code}: ${value.fault.message}` : value.value;
      return { value, text: `${value.status}: ${JSON.stringify(came)}` };
    },
  }),
  list_unresolved: tool({
    description: 'Lists your proposals whose outcome is unknown or still being recovered.',
    input: z.strictObject({}),
    searched: 'your proposals without a settled outcome',
    output: responses('GET /v1/proposals'),
    run: async (client, _, options) => {
      const { proposals } = await client.call('GET /v1/proposals', {}, options);
      const head = proposals.length === 0 ? 'No proposal is unresolved.' : 'In doubt:';
      const line = ({ proposal: id, tool: name, status }: (typeof proposals)[number]) =>
        `- ${id} ${name}: ${status}`;
      return formatList({ name: 'proposals', items: proposals, line, head });
    },
  }),
  approval_status: tool({
    description:
      'Shows the state of an approval for a held call (code PROPOSAL_HELD). Once it is ' +
      'approved, propose the call again with exactly the same arguments.',
    input: z.strictObject({
      approval: z.string().min(1).describe('The id from the answer to the held call.'),
    }),
    searched: 'the approvals of your calls',
    output: responses('GET /v1/approvals/{approval}'),
    run: async (client, path, options) =>
      formatApproval(await client.call('GET /v1/approvals/{approval}', { path }, options)),
  }),
};

/** A failed call is refused like one that was never made: with a remedy. */
function formatOutcome(outcome: Outcome): ToolAnswer {
  const { status, proposal: id, value, fault, notices = [] } = outcome;
  if (fault) throw faultFromReport(fault as never).with({ proposal: id });
  if (status !== 'committed') {
    throw makeFault('PROPOSAL_UNKNOWN', { proposal: id }).with({ proposal: id });
  }
  const whole = `All of it: get_outcome {"proposal": "${id}"}.`;
  // Many clients show a model nothing but the text.
  const text = [`committed ${id}: ${JSON.stringify(value)}`, ...notices.map(noticeLine)].join('\n');
  return { value: outcome, text, whole };
}

const noticeLine = (notice: string): string => `Notice: ${notice}`;

function judgedLine({ tool: name, verdict, said, wouldBe, repeats }: Judged): string {
  return [
    `- ${name}: ${verdict}${wouldBe ? `, enforced it would be ${wouldBe}` : ''}`,
    ...(repeats ? [`    repeats ${repeats}: its outcome would be answered`] : []),
    ...said.map(saidLine),
  ].join('\n');
}

function saidLine({ rule, reason, remedy }: Judged['said'][number]): string {
  return `    ${rule}: ${reason}. Try: ${remedy}`;
}

function formatExplanation(value: Explanation): ToolAnswer {
  const { proposal: id, tool: name, decision, status, said, history } = value;
  const [first, last] = [history[0], history.at(-1)];
  const lines = [
    `${id} ${name}: decided ${decision}, now ${status}.`,
    ...said.map(saidLine),
    ...history.map(({ seq, kind, actor }) => `    entry ${seq}: ${kind} by ${actor}`),
  ];
  const range = first && last ? { range: { from: first.at, until: last.at } } : {};
  return { value, text: lines.join('\n'), ...range };
}

function formatApproval(value: Approval): ToolAnswer {
  const { approval, status, tool: name, role, by, reason } = value;
  const who = by ? ` by ${by}${reason ? ` (${reason})` : ''}` : `; ${role} may answer`;
  const next = status === 'approved' ? ' Propose it again with the same arguments.' : '';
  return { value, text: `${approval} for ${name}: ${status}${who}.${next}` };
}
