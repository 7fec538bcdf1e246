import { z } from 'zod';
import type { OperationResponse } from '../../http/index.ts';
import { faultFromReport, fault as makeFault } from '../../kernel/index.ts';
import { type Told, tellList } from '../told.ts';
import { type Tool, tool } from '../tool.ts';

type Outcome = OperationResponse<'POST /v1/proposals'>;
type Judged = OperationResponse<'POST /v1/plans/check'>['steps'][number];
type Explanation = OperationResponse<'GET /v1/proposals/{proposal}'>;
type Approval = OperationResponse<'GET /v1/approvals/{approval}'>;

const toolName = z.string().min(1).max(128).describe('A tool of list_contracts.');
const given = z.record(z.string(), z.json()).default({}).describe('As its contract declares them.');
const proposal = z.string().min(1).describe('The id that propose answered with, or a refusal.');

/** Calls of the tools that contracts guard, and what became of them. */
export const proposalTools: Readonly<Record<string, Tool>> = {
  propose: tool({
    title: 'Propose a call',
    description:
      'Calls a tool of list_contracts: it is decided, executed at most once, and recorded. A ' +
      'refusal says which rule, and in its remedy what would make it pass. With the same key ' +
      'the recorded outcome is answered, so that a lost call may be made again.',
    input: z.strictObject({
      tool: toolName,
      arguments: given,
      task: z.string().optional().describe('The task that it belongs to.'),
      key: z.string().min(1).max(200).optional().describe('The same for the same call.'),
      waitMs: z.int().min(0).max(600_000).optional().describe('For an approval to be given.'),
    }),
    run: async (client, { key, ...body }, options) => {
      const keyed = { ...options, ...(key === undefined ? {} : { key }) };
      return tellOutcome(await client.call('POST /v1/proposals', { body }, keyed));
    },
  }),
  check_plan: tool({
    title: 'Check a plan',
    description:
      'Judges a sequence of calls in order, each on what the ones before it would leave behind, ' +
      'before any of them is made. Executes nothing and charges nothing.',
    input: z.strictObject({
      steps: z
        .array(z.strictObject({ tool: toolName, arguments: given, task: z.string().optional() }))
        .min(1),
    }),
    searched: 'the policy in force, your budgets, evidence and past calls as they are now',
    run: async (client, { steps }, options) => {
      const body = { steps };
      const { ok, steps: judged } = await client.call('POST /v1/plans/check', { body }, options);
      const refused = judged.filter(({ verdict }) => verdict !== 'allow').length;
      const head = ok ? 'Every step would be allowed.' : `${refused} steps would not be allowed.`;
      return tellList({ name: 'steps', items: judged, line: judgedLine, head, more: { ok } });
    },
  }),
  explain_proposal: tool({
    title: 'Explain a decision',
    description:
      'Why a proposal of yours was allowed, denied or held: every rule that spoke, the values ' +
      'that it saw, what would make it pass, and what became of it since.',
    input: z.strictObject({ proposal }),
    searched: 'the ledger, from the time at which the proposal was made',
    run: async (client, path, options) =>
      tellExplanation(await client.call('GET /v1/proposals/{proposal}', { path }, options)),
  }),
  get_outcome: tool({
    title: 'Read an outcome',
    description: 'How a proposal of yours ended, with the whole of what its tool answered.',
    input: z.strictObject({ proposal }),
    searched: 'the recorded outcomes of your proposals',
    run: async (client, path, options) => {
      const value = await client.call('GET /v1/proposals/{proposal}/outcome', { path }, options);
      const came = value.fault ? `${value.fault.code}: ${value.fault.message}` : value.value;
      return { value, text: `${value.status}: ${JSON.stringify(came)}` };
    },
  }),
  list_unresolved: tool({
    title: 'List what is in doubt',
    description: 'Lists your proposals whose outcome is unknown or still has to be put right.',
    input: z.strictObject({}),
    searched: 'your proposals that have no settled outcome',
    run: async (client, _, options) => {
      const { proposals } = await client.call('GET /v1/proposals', {}, options);
      const head = proposals.length === 0 ? 'Nothing is in doubt.' : 'In doubt:';
      const line = ({ proposal: id, tool: name, status }: (typeof proposals)[number]) =>
        `- ${id} ${name}: ${status}`;
      return tellList({ name: 'proposals', items: proposals, line, head });
    },
  }),
  approval_status: tool({
    title: 'See whether a person has approved',
    description:
      'Tells what became of a call that is held for a person (code PROPOSAL_HELD). Once it is ' +
      'approved, propose it again with exactly the same arguments.',
    input: z.strictObject({
      approval: z.string().min(1).describe('The id that the held call was answered with.'),
    }),
    searched: 'the approvals that your calls wait for',
    run: async (client, path, options) =>
      tellApproval(await client.call('GET /v1/approvals/{approval}', { path }, options)),
  }),
};

/** A call that failed is refused like one that was never made: with what to do about it. */
function tellOutcome(outcome: Outcome): Told {
  const { status, proposal: id, value, fault } = outcome;
  if (fault) throw faultFromReport(fault as never).with({ proposal: id });
  if (status !== 'committed') {
    throw makeFault('PROPOSAL_UNKNOWN', { proposal: id }).with({ proposal: id });
  }
  const whole = `All of it: get_outcome {"proposal": "${id}"}.`;
  // Many clients show a model nothing but the text.
  return { value: outcome, text: `committed ${id}: ${JSON.stringify(value)}`, whole };
}

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

function tellExplanation(value: Explanation): Told {
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

function tellApproval(value: Approval): Told {
  const { approval, status, tool: name, role, by, reason } = value;
  const who = by ? ` by ${by}${reason ? ` (${reason})` : ''}` : `; ${role} may answer`;
  const next = status === 'approved' ? ' Propose it again with the same arguments.' : '';
  return { value, text: `${approval} for ${name}: ${status}${who}.${next}` };
}
