import { z } from 'zod';
import { formatDuration, sharedLimits } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';
import {
  amount,
  count,
  duration,
  expression,
  heldFor,
  identifier,
  jsonObject,
  plainName,
  toolName,
} from './fields.ts';

export const mode = z.enum(['enforce', 'observe']);

export const rule = z.strictObject({
  rule: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{0,63}$/, 'use 1 to 64 lower-case letters, digits, dots and dashes')
    .describe('The name of the rule, as decisions show it.'),
  that: expression.describe('The condition: an expression that is true or false.'),
  message: z.string().optional().describe('The message if the condition is false.'),
  remedy: z.string().optional().describe('How the agent can make the condition true.'),
  soft: z.boolean().default(false).describe('If true, the rule only warns.'),
});

/** The arguments of another tool, each an expression. */
const withArguments = z.record(z.string(), expression);

const read = z.strictObject({
  tool: toolName.describe('A tool with `effect: read` that the runtime calls.'),
  with: withArguments.default({}).describe('Its arguments, each an expression.'),
});

const run = z
  .strictObject({
    http: z
      .strictObject({
        method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).describe('The HTTP method.'),
        url: z
          .string()
          .min(1)
          .describe(
            'The address. `${NAME}` comes from the environment, `{name}` from the arguments. An ' +
              'argument that is missing, empty or leads to another path is refused before sending.',
          ),
        headers: z
          .record(z.string(), z.string())
          .default({})
          .describe('Headers. `${NAME}` comes from the environment and is never stored.'),
      })
      .optional()
      .describe('One HTTP request with the arguments as its JSON body.'),
    command: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('A program and its parameters; it gets the arguments as JSON on standard input.'),
  })
  .meta({ minProperties: 1, maxProperties: 1 });

const costs = z.record(plainName, expression);

const governance = z.strictObject({
  key: expression
    .optional()
    .describe('The idempotency key: a string, computed from the arguments.'),
  keyFor: duration.optional().describe('How long a key is kept. Default: forever.'),
  cost: costs.default({}).describe('The most a call may cost, by dimension: whole numbers.'),
  actualCost: costs.default({}).describe('What the call did cost, from `result`. Default: `cost`.'),
  evidence: z
    .array(
      z.strictObject({
        kind: plainName.describe('The kind of evidence.'),
        subject: expression.describe('What the evidence is about: a string.'),
        freshFor: duration.describe('The maximum age.'),
      }),
    )
    .default([])
    .describe('Evidence that must exist before the call.'),
  approval: z
    .strictObject({
      when: expression.optional().describe('A condition. Default: always.'),
      role: plainName.describe('The role that a person needs to approve.'),
      within: duration.default('1h').describe('How long the call waits for approval.'),
      elicited: z
        .boolean()
        .default(false)
        .describe('If true, the person may be asked at the agent’s own client (MCP elicitation).'),
    })
    .optional()
    .describe('Calls that a person must approve.'),
  rate: z
    .array(
      z.strictObject({
        max: count.describe('The number of calls.'),
        per: duration.describe('The period.'),
        by: z
          .enum(['agent', 'tool', 'task'])
          .default('agent')
          .describe('Counted per agent, for the tool as a whole, or per task.'),
      }),
    )
    .default([])
    .describe('Rate limits.'),
  concurrency: z
    .strictObject({
      max: count.optional().describe('How many calls may run at the same time.'),
      lock: expression
        .optional()
        .describe('A string: calls with the same string run one at a time.'),
      lease: heldFor
        .optional()
        .describe('How long a call may hold the lock. Default: twice `timeout`.'),
      held: z
        .boolean()
        .default(false)
        .describe('Whether the caller must hold the lock itself, and show its fence.'),
    })
    .optional()
    .describe('Limits on calls at the same time.'),
  reported: z
    .boolean()
    .default(false)
    .describe(
      'Also give budget back on an executor’s own report that the call failed or cost less: for ' +
        'executors that you trust.',
    ),
  timeout: heldFor
    .optional()
    .describe(`The time after which a call is in doubt. Default: ${sharedLimits.toolMs / 1_000}s.`),
});

const substitute = z.strictObject({
  tool: toolName.describe('The tool to call.'),
  with: withArguments.default({}).describe('Its arguments, each an expression.'),
  when: expression.optional().describe('A condition. Default: always.'),
});

const step = z
  .strictObject({
    reconcile: z
      .strictObject({
        read: toolName.describe('A tool with `effect: read` that shows what happened to the call.'),
        with: withArguments.default({}).describe('Its arguments, each an expression.'),
        committed: expression.describe('An expression over `read`: the call took effect.'),
        failed: expression
          .optional()
          .describe('An expression over `read`: the call had no effect and will have none.'),
      })
      .optional()
      .describe('Read what happened to the call.'),
    retry: z
      .strictObject({
        times: count.max(gateLimits.recoveryStepsMax).default(1).describe('The number of retries.'),
        backoff: duration
          .default('200ms')
          .describe('The first wait; each further wait is twice as long.'),
      })
      .optional()
      .describe(
        'Call again. For a mutating tool, only right after a reconcile that can say "failed".',
      ),
    compensate: substitute.optional().describe('Undo the call with another tool.'),
    fallback: substitute.optional().describe('Use another tool instead.'),
    hold: z
      .strictObject({ reason: z.string().min(1).describe('What the person sees.') })
      .optional()
      .describe('Hand it to a person.'),
  })
  .meta({ minProperties: 1, maxProperties: 1 });

/** The contract of one tool: (P, I, G, R). */
export const contract = z.strictObject({
  description: z.string().optional().describe('What the tool does.'),
  mode: mode.optional().describe('The mode of this tool only.'),
  effect: z
    .enum(['read', 'idempotent', 'mutating'])
    .describe(
      '`read`: changes nothing. `idempotent`: repeating has no further effect. `mutating`: repeating does.',
    ),
  arguments: jsonObject.describe(
    'JSON Schema 2020-12 of the arguments, an object. Undeclared arguments are denied.',
  ),
  result: jsonObject.optional().describe('JSON Schema 2020-12 of the result.'),
  run: run
    .optional()
    .describe('How the runtime executes the tool. Default: the proposer executes it.'),
  reads: z
    .record(identifier, read)
    .default({})
    .describe('Fresh reads before the decision, available as `reads.<name>` in expressions.'),
  preconditions: z.array(rule).default([]).describe('Conditions on the state before the call.'),
  invariants: z
    .array(rule)
    .default([])
    .describe('Conditions on arguments, reads and the trajectory.'),
  results: z.array(rule).default([]).describe('Conditions on the result.'),
  coding: z
    .boolean()
    .default(false)
    .describe('If true, the section `coding` of the policy judges the argument `effects`.'),
  resources: z
    .array(expression)
    .default([])
    .describe('What the call touches: strings, checked against the `resources` of agent and task.'),
  governance: governance.optional().describe('Key, cost, evidence, approval, rate, concurrency.'),
  produces: z
    .array(
      z.strictObject({
        evidence: plainName.describe('The kind of evidence.'),
        subject: expression.describe('What the evidence is about: a string.'),
        when: expression
          .optional()
          .describe('A condition. Default: whenever the call is committed.'),
        reported: z
          .boolean()
          .default(false)
          .describe('Also accept the executor’s own report: for executors that you trust.'),
      }),
    )
    .default([])
    .describe('Evidence that a committed call produces.'),
  recovery: z
    .strictObject({
      stepsMax: count
        .max(gateLimits.recoveryStepsMax, `use at most ${gateLimits.recoveryStepsMax}`)
        .optional()
        .describe('The most steps to take. Default: all.'),
      within: duration
        .default(formatDuration(gateLimits.recoveryMs))
        .describe(
          'How long to repeat reads that fail before a person is asked. Afterwards the call is ' +
            'looked at again when the daemon starts and when the tool is used.',
        ),
      steps: z
        .array(step)
        .default([])
        .describe('Steps, taken in order until the outcome is known.'),
    })
    .optional()
    .describe('What to do when the outcome of a call is in doubt.'),
});

export const budget = z.strictObject({
  dimension: plainName.describe('What is counted: `calls`, `money`, or your own name.'),
  limit: amount.describe('The limit. Money is in whole minor units.'),
  per: duration
    .optional()
    .describe(
      'A rolling period. Default: no period, in total. Spent amounts become available again ' +
        'never early, and late by at most a twentieth of the period.',
    ),
});

export type ContractDocument = z.output<typeof contract>;
export type RuleDocument = z.output<typeof rule>;
export type BudgetDocument = z.output<typeof budget>;
export type StepDocument = z.output<typeof step>;
export type GovernanceDocument = z.output<typeof governance>;
