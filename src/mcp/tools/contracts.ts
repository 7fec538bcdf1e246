import { z } from 'zod';
import type { Client, OperationResponse } from '../../http/index.ts';
import { formatBudget } from '../../kernel/index.ts';
import { shortText } from '../short.ts';
import { responses, type Tool, type ToolCallOptions, tool } from '../tool.ts';
import { formatList, type ToolAnswer } from '../tool-answer.ts';

type Contracts = OperationResponse<'GET /v1/contracts'>;
type Budgets = OperationResponse<'GET /v1/budgets'>['budgets'];

const contextTask = z.object({
  task: z.string(),
  goal: z.string().nullable(),
  phase: z.string().nullable(),
});

/** What an agent may do, and what is left of its budgets. */
export const contractTools: Readonly<Record<string, Tool>> = {
  get_context: tool({
    description:
      'Start here. Shows who you are, whether the policy is enforced, which tools you may use, ' +
      'your open tasks, what is left of your budgets, what is stopped, and whether your behaviour ' +
      'drifts. Say which model you are: a new model is compared with its predecessor.',
    input: z.strictObject({
      model: z.string().max(100).optional().describe('The model that you are, if you know.'),
      version: z.string().max(100).optional().describe('The version of you as an agent.'),
    }),
    searched: 'the policy in force, your accounts, your open tasks, the stops in force, your drift',
    output: responses('GET /v1/contracts', 'GET /v1/budgets', 'GET /v1/stops').extend({
      agent: z.string(),
      tools: z.array(z.string()).describe('Tools of Surety that you may call.'),
      contracts: z.array(z.string()).describe('Tools that you may propose.'),
      tasks: z.array(contextTask),
      drift: z.object({ level: z.string(), reasons: z.array(z.string()) }),
    }),
    run: async (client, profile, options) => {
      await declareProfile(client, profile, options);
      const [allowed, { budgets }, { tasks }, { stops }, { agents }] = await Promise.all([
        client.call('GET /v1/contracts', {}, options),
        client.call('GET /v1/budgets', {}, options),
        client.call('GET /v1/tasks', { query: {} }, options),
        client.call('GET /v1/stops', {}, options),
        client.call('GET /v1/drift', { query: {} }, options),
      ]);
      const own = agents.find(({ agent }) => agent === options.actor);
      const drift = { level: own?.level ?? 'normal', reasons: own?.reasons ?? [] };
      const { policy, mode } = allowed;
      const contracts = allowed.contracts.map(({ tool: name }) => name);
      const tools = options.usableTools(allowed);
      const open = tasks.map(({ task, goal, phase, change }) => {
        return { task, goal, phase: change?.phase ?? phase };
      });
      const mine = { tasks: open, budgets, stops, drift };
      const value = { agent: options.actor, policy, mode, tools, contracts, ...mine };
      return { value, text: contextLines(value).join('\n') };
    },
  }),
  list_contracts: tool({
    description:
      'Lists the tools that you may propose, with their arguments and rules. Call one with ' +
      'propose. get_contract shows one contract in full.',
    input: z.strictObject({
      matching: z.string().optional().describe('Only tools whose name contains this.'),
    }),
    searched: 'the contracts of the policy in force that you may use',
    output: responses('GET /v1/contracts'),
    needs: 'contracts',
    run: async (client, { matching = '' }, options) =>
      formatContracts(await client.call('GET /v1/contracts', {}, options), matching),
  }),
  get_contract: tool({
    description:
      'Shows the full contract of a tool: arguments, rules, evidence, approval, recovery.',
    input: z.strictObject({
      tool: z.string().min(1).describe('The name that list_contracts shows.'),
    }),
    searched: 'the policy in force',
    output: responses('GET /v1/contracts/{tool}'),
    needs: 'contracts',
    run: async (client, path, options) => {
      const value = await client.call('GET /v1/contracts/{tool}', { path }, options);
      return { value, text: JSON.stringify(value.document, undefined, 1) };
    },
  }),
  get_budget: tool({
    description: 'Shows what you and the workspace have left of each budget, and what is reserved.',
    input: z.strictObject({}),
    searched: 'your accounts and those of the workspace',
    output: responses('GET /v1/budgets'),
    run: async (client, _, options) => {
      const { budgets } = await client.call('GET /v1/budgets', {}, options);
      const head = budgets.length === 0 ? 'No budget limits you here.' : 'Left:';
      return formatList({ name: 'budgets', items: budgets, line: budgetLine, head });
    },
  }),
};

/** The framework comes from the client, the rest from the agent. People declare nothing. */
async function declareProfile(
  client: Client,
  {
    model,
    version,
  }: { readonly model?: string | undefined; readonly version?: string | undefined },
  options: ToolCallOptions,
): Promise<void> {
  const { framework, actor } = options;
  const body = {
    ...(framework ? { framework } : {}),
    ...(model ? { model } : {}),
    ...(version ? { version } : {}),
  };
  if (!actor.startsWith('agent:') || Object.keys(body).length === 0) return;
  await client.call('POST /v1/agents/profile', { body }, options);
}

function formatContracts({ contracts, policy, mode }: Contracts, matching: string): ToolAnswer {
  const items = contracts.filter(({ tool: name }) => name.includes(matching));
  const count = `${items.length} of your ${contracts.length} tools`;
  const head = `${count}; the policy ${mode === 'enforce' ? 'is enforced' : 'only observes'}.`;
  return formatList({ name: 'contracts', items, line: contractLine, head, more: { policy, mode } });
}

function contractLine(contract: Contracts['contracts'][number]): string {
  const { tool: name, effect, description, rules, evidence, approval, schema } = contract;
  return [
    `- ${name} (${effect})${description ? `: ${description}` : ''}`,
    `    arguments ${shortText(schema)}`,
    ...rules.map(({ rule, that }) => `    ${rule}: ${that}`),
    ...(evidence.length > 0 ? [`    needs evidence: ${evidence.join(', ')}`] : []),
    ...(approval ? [`    approved by ${approval}`] : []),
  ].join('\n');
}

function budgetLine({ account, budget, free, limit, reserved }: Budgets[number]): string {
  return `- ${account} ${formatBudget(budget)}: ${free} of ${limit} left, ${reserved} reserved`;
}

interface Context {
  readonly agent: string;
  readonly mode: string;
  readonly tools: readonly string[];
  readonly contracts: readonly string[];
  readonly tasks: readonly z.output<typeof contextTask>[];
  readonly budgets: Budgets;
  readonly stops: readonly { scope: string; reason: string }[];
  readonly drift: { readonly level: string; readonly reasons: readonly string[] };
}

function contextLines(context: Context): string[] {
  const { agent, mode, tools, contracts, tasks, budgets, stops, drift } = context;
  const task = tasks.map(({ task: id, goal, phase }) => {
    return `- task ${id}${phase ? `, phase ${phase}` : ''}: ${shortText(goal)}`;
  });
  return [
    `You are ${agent}. The policy ${mode === 'enforce' ? 'is enforced' : 'only observes'}.`,
    `Tools of Surety that you may call: ${tools.join(', ')}.`,
    contracts.length > 0
      ? `Tools with a contract, which you call with propose: ${contracts.join(', ')}.`
      : 'No tool with a contract is yours to propose.',
    ...(task.length > 0 ? ['Your open tasks:', ...task] : ['You have no open task.']),
    ...(budgets.length > 0 ? ['Your budgets:', ...budgets.map(budgetLine)] : []),
    ...stops.map(({ scope, reason }) => `Stopped: ${scope} (${reason}).`),
    ...(drift.level === 'normal'
      ? []
      : [`Your behaviour has drifted (${[drift.level, ...drift.reasons].join('; ')}).`]),
  ];
}
