import { z } from 'zod';
import { budget, contract, mode, rule } from './contract-schema.ts';
import { count, duration, identifier, json, pattern, plainName, toolName } from './fields.ts';

const variables = z.record(identifier, json);

const role = z.strictObject({
  tools: z.array(pattern).default([]).describe('What it may propose; `*` matches any characters.'),
  constraints: z
    .record(pattern, z.array(rule))
    .default({})
    .describe('Rules for its calls of a tool, besides those of the contract.'),
  resources: z
    .array(pattern)
    .optional()
    .describe('What it may touch; absent: anything. An agent narrows what its roles give.'),
  budgets: z.array(budget).default([]).describe('What it may spend. All of them hold.'),
  limits: z
    .strictObject({
      sameProposal: count.optional().describe('How often the same proposal is answered.'),
      sameError: count.optional().describe('How often the same failure is met.'),
      cycle: count.optional().describe('How often the same round of calls is gone.'),
      rate: z
        .array(
          z.strictObject({
            max: count.describe('How many proposals.'),
            per: duration.describe('In which time.'),
          }),
        )
        .default([])
        .describe('How often it may propose.'),
      concurrency: count.optional().describe('How many of its calls may run at once.'),
    })
    .optional()
    .describe('Where it is stopped. The smallest holds.'),
  autonomy: z
    .enum(['read-only', 'supervised', 'autonomous'])
    .optional()
    .describe(
      '`read-only`: tools that read. `supervised`: a person approves the rest. Absent: `autonomous`. The lowest holds.',
    ),
});

const agent = role.extend({
  roles: z.array(plainName).default([]).describe('Roles that it has.'),
});

/** Everything that a policy document may say. docs/policy-reference.md is generated from this. */
export const policySchema = z.strictObject({
  version: z.literal(1, 'use 1').describe('Of this language: 1.'),
  mode: mode
    .default('enforce')
    .describe('`enforce`, or `observe`: everything is judged and nothing is refused.'),
  include: z
    .array(z.string().min(1))
    .default([])
    .describe('Other documents: files relative to this one, or `pack:<name>`.'),
  variables: variables
    .default({})
    .describe(
      'Values that expressions find as `vars.<name>`, and no secrets: a policy is kept in the ' +
        'ledger. The including document wins.',
    ),
  environments: z
    .record(
      plainName,
      z.strictObject({ variables: variables.default({}).describe('Other values.') }),
    )
    .default({})
    .describe('Where variables have other values, by name.'),
  tools: z.record(toolName, contract).default({}).describe('A contract for each tool.'),
  roles: z.record(plainName, role).default({}).describe('What several agents have in common.'),
  agents: z
    .record(plainName, agent)
    .default({})
    .describe('Agents by name. One that is not named here may propose nothing.'),
  budgets: z.array(budget).default([]).describe('What the whole workspace may spend.'),
});

/** As people write it. */
export type PolicyDocument = z.input<typeof policySchema>;

/** With every default in place. */
export type Policy = z.output<typeof policySchema>;
export type RoleDocument = z.output<typeof role>;
export type AgentDocument = z.output<typeof agent>;
