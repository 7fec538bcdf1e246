import { z } from 'zod';
import { gateLimits } from '../limits.ts';
import { codingSchema } from './coding-schema.ts';
import { driftResponses } from './compile/compiled.ts';
import { budget, contract, mode, rule } from './contract-schema.ts';
import { count, duration, identifier, json, pattern, plainName, toolName } from './fields.ts';

const variables = z.record(identifier, json);

const { cycleLengthMax, driftConstraintCharsMax, loopCallsMax } = gateLimits;
const cyclesMax = loopCallsMax / cycleLengthMax - 1;

const loopLimit = (most: number) =>
  count.max(most, `use at most ${most}; earlier calls of an agent are not kept`);

const driftResponse = z.strictObject({
  constraint: z
    .string()
    .min(1)
    .max(driftConstraintCharsMax, `use at most ${driftConstraintCharsMax} characters`)
    .optional()
    .describe('A text that is added to every answer to the agent.'),
  response: z
    .enum(driftResponses)
    .optional()
    .describe(
      '`approval`: a person approves everything but reading. `read-only`: only tools that read. `pause`: nothing.',
    ),
  role: plainName.default('approver').describe('Who approves.'),
});

const role = z.strictObject({
  tools: z
    .array(pattern)
    .default([])
    .describe('Tools that the agent may propose; `*` matches any characters.'),
  constraints: z
    .record(pattern, z.array(rule))
    .default({})
    .describe('Rules for its calls of a tool, in addition to the contract.'),
  resources: z
    .array(pattern)
    .optional()
    .describe('What the agent may touch. Default: anything. An agent narrows what its roles give.'),
  budgets: z.array(budget).default([]).describe('What the agent may spend. All of them apply.'),
  limits: z
    .strictObject({
      sameProposal: loopLimit(loopCallsMax)
        .optional()
        .describe(
          `How often the agent may make the same call in a row within an hour, on any task. At most ${loopCallsMax}.`,
        ),
      sameError: loopLimit(loopCallsMax)
        .optional()
        .describe(
          `How often a tool may fail in a row with the same error within an hour, on any task. At most ${loopCallsMax}.`,
        ),
      cycle: loopLimit(cyclesMax)
        .optional()
        .describe(
          `How often the agent may repeat the same sequence of up to ${cycleLengthMax} calls within an hour, on any task. At most ${cyclesMax}.`,
        ),
      rate: z
        .array(
          z.strictObject({
            max: count.describe('The number of proposals.'),
            per: duration.describe('The period.'),
          }),
        )
        .default([])
        .describe('Rate limits for its proposals.'),
      concurrency: count.optional().describe('How many of its calls may run at the same time.'),
    })
    .optional()
    .describe('Limits at which the agent is stopped. The smallest applies.'),
  autonomy: z
    .enum(['read-only', 'supervised', 'autonomous'])
    .optional()
    .describe(
      '`read-only`: only tools that read. `supervised`: a person approves everything else. Default: `autonomous`. The lowest applies.',
    ),
  drift: z
    .strictObject({
      watch: driftResponse.optional().describe('From level `watch` on: its behaviour has shifted.'),
      warn: driftResponse.optional().describe('From level `warn` on.'),
      critical: driftResponse.optional().describe('At level `critical`.'),
    })
    .optional()
    .describe(
      'What happens when the behaviour of the agent drifts. A level has the effect of those below it, too. The strictest applies.',
    ),
});

const agent = role.extend({
  roles: z.array(plainName).default([]).describe('The agent’s roles.'),
});

/** The schema of a policy document. docs/policy-reference.md is generated from it. */
export const policySchema = z.strictObject({
  version: z.literal(1, 'use 1').describe('The version of this language: 1.'),
  mode: mode
    .default('enforce')
    .describe('`enforce`, or `observe`: decisions are recorded, and nothing is denied.'),
  include: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Other documents: files relative to this one, or `pack:<name>`. `pack:<name>@<server>`: the ' +
        'tools get the prefix `<server>.`, as with several servers behind the gateway.',
    ),
  variables: variables
    .default({})
    .describe(
      'Values for expressions, as `vars.<name>`. Put no secrets here: a policy is stored in the ' +
        'ledger. The including document wins.',
    ),
  environments: z
    .record(
      plainName,
      z.strictObject({
        variables: variables.default({}).describe('The values in this environment.'),
      }),
    )
    .default({})
    .describe('Environments in which variables have other values, by name.'),
  tools: z.record(toolName, contract).default({}).describe('A contract for each tool.'),
  roles: z.record(plainName, role).default({}).describe('Permissions that several agents share.'),
  agents: z
    .record(plainName, agent)
    .default({})
    .describe('Agents by name. An agent that is not named here may propose nothing.'),
  budgets: z.array(budget).default([]).describe('What the whole workspace may spend.'),
  coding: codingSchema
    .prefault({})
    .describe('What the commands, edits and fetches of coding agents may do; see docs/hooks.md.'),
});

/** As people write it. */
export type PolicyDocument = z.input<typeof policySchema>;

/** With every default in place. */
export type Policy = z.output<typeof policySchema>;
export type RoleDocument = z.output<typeof role>;
export type AgentDocument = z.output<typeof agent>;
