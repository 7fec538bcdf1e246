import { z } from 'zod';
import { limits } from '../../kernel/index.ts';
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
    .describe('Its name, as decisions give it.'),
  that: expression.describe('What must hold: an expression that is true or false.'),
  message: z.string().optional().describe('What is told when it does not hold.'),
  remedy: z.string().optional().describe('What would make it hold, told to the agent.'),
  soft: z.boolean().default(false).describe('Whether it only warns.'),
});

/** Arguments of another tool, each an expression. */
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
            'Where. `${NAME}` is taken from the environment, `{name}` from the arguments: one ' +
              'that is missing, empty or leads to another path is refused before it is sent.',
          ),
        headers: z
          .record(z.string(), z.string())
          .default({})
          .describe('Headers. `${NAME}` is taken from the environment, and never stored.'),
      })
      .optional()
      .describe('One HTTP request with the arguments as its JSON body.'),
    command: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('A program and its parameters; the arguments come as JSON on its standard input.'),
  })
  .meta({ minProperties: 1, maxProperties: 1 });

const costs = z.record(plainName, expression);

const governance = z.strictObject({
  key: expression.optional().describe('The idempotency key: a text, from the arguments.'),
  keyFor: duration.optional().describe('How long a key is kept; absent: for ever.'),
  cost: costs.default({}).describe('What a call may cost at most, by dimension: whole numbers.'),
  actualCost: costs
    .default({})
    .describe('What it did cost, from `result`; absent: what `cost` says.'),
  evidence: z
    .array(
      z.strictObject({
        kind: plainName.describe('Which evidence.'),
        subject: expression.describe('About what: a text.'),
        freshFor: duration.describe('How old it may be.'),
      }),
    )
    .default([])
    .describe('What must have been observed before.'),
  approval: z
    .strictObject({
      when: expression.optional().describe('In which cases; absent: always.'),
      role: plainName.describe('The role of the people who may approve.'),
      within: duration.default('1h').describe('How long it waits for them.'),
      elicited: z
        .boolean()
        .default(false)
        .describe('Whether they may be asked at the client of the agent itself (MCP elicitation).'),
    })
    .optional()
    .describe('When a person must approve.'),
  rate: z
    .array(
      z.strictObject({
        max: count.describe('How many calls.'),
        per: duration.describe('In which time.'),
        by: z
          .enum(['agent', 'tool', 'task'])
          .default('agent')
          .describe('Of whom: each agent, all together, or each task.'),
      }),
    )
    .default([])
    .describe('How often it may be called.'),
  concurrency: z
    .strictObject({
      max: count.optional().describe('How many calls may run at once.'),
      lock: expression.optional().describe('A text: one call at a time for each.'),
      lease: heldFor.optional().describe('How long a call may hold it; absent: twice `timeout`.'),
    })
    .optional()
    .describe('What may run at the same time.'),
  timeout: heldFor
    .optional()
    .describe(`After which a call is in doubt; absent: ${limits.toolMs / 1_000}s.`),
});

const substitute = z.strictObject({
  tool: toolName.describe('Which tool.'),
  with: withArguments.default({}).describe('Its arguments, each an expression.'),
  when: expression.optional().describe('In which cases; absent: always.'),
});

const step = z
  .strictObject({
    reconcile: z
      .strictObject({
        read: toolName.describe('A tool with `effect: read` that tells what became of the call.'),
        with: withArguments.default({}).describe('Its arguments, each an expression.'),
        committed: expression.describe('Over `read`: it took place.'),
        failed: expression.optional().describe('Over `read`: it did not, and will not.'),
      })
      .optional()
      .describe('Read again what became of it.'),
    retry: z
      .strictObject({
        times: count.max(limits.recoveryStepsMax).default(1).describe('How often.'),
        backoff: duration
          .default('200ms')
          .describe('The first wait; each next one is twice as long.'),
      })
      .optional()
      .describe(
        'Call again. Of a mutating tool only right after a reconcile that can say "failed".',
      ),
    compensate: substitute.optional().describe('Take it back by another tool.'),
    fallback: substitute.optional().describe('Do it by another tool.'),
    hold: z
      .strictObject({ reason: z.string().min(1).describe('What the person is told.') })
      .optional()
      .describe('Leave it to a person.'),
  })
  .meta({ minProperties: 1, maxProperties: 1 });

/** The contract of one tool: (P, I, G, R). */
export const contract = z.strictObject({
  description: z.string().optional().describe('What the tool does.'),
  mode: mode.optional().describe('Of this tool alone.'),
  effect: z
    .enum(['read', 'idempotent', 'mutating'])
    .describe('`read`: changes nothing. `idempotent`: twice is once. `mutating`: twice is twice.'),
  arguments: jsonObject.describe(
    'JSON Schema 2020-12 of the arguments, an object. What it does not declare is denied.',
  ),
  result: jsonObject.optional().describe('JSON Schema 2020-12 of the result.'),
  run: run.optional().describe('How the runtime executes it; absent: whoever proposes it does.'),
  reads: z
    .record(identifier, read)
    .default({})
    .describe('Fresh reads before a decision, as `reads.<name>` in expressions.'),
  preconditions: z.array(rule).default([]).describe('What must hold in the world before.'),
  invariants: z
    .array(rule)
    .default([])
    .describe('What must hold of arguments, reads and the trajectory.'),
  results: z.array(rule).default([]).describe('What must hold of the result.'),
  resources: z
    .array(expression)
    .default([])
    .describe('What it touches: texts, held against the `resources` of agent and task.'),
  governance: governance.optional().describe('Key, cost, evidence, approval, rate, concurrency.'),
  produces: z
    .array(
      z.strictObject({
        evidence: plainName.describe('Which evidence.'),
        subject: expression.describe('About what: a text.'),
        when: expression.optional().describe('In which cases; absent: whenever it is committed.'),
        reported: z
          .boolean()
          .default(false)
          .describe('Also when only its executor says so: for executors that you trust.'),
      }),
    )
    .default([])
    .describe('Evidence that a committed call is.'),
  recovery: z
    .strictObject({
      stepsMax: count
        .max(limits.recoveryStepsMax, `use at most ${limits.recoveryStepsMax}`)
        .optional()
        .describe('How many steps are taken at most; absent: as many as there are.'),
      steps: z
        .array(step)
        .default([])
        .describe('What is done, one after the other, until it is known.'),
    })
    .optional()
    .describe('What is done when the outcome of a call is in doubt.'),
});

export const budget = z.strictObject({
  dimension: plainName.describe('What is counted: `calls`, `money`, or a name of your own.'),
  limit: amount.describe('How much. Money is in whole minor units.'),
  per: duration
    .optional()
    .describe(
      'In any time of this length; absent: altogether. ' +
        'What was spent comes back never early, and at most a twentieth of that length late.',
    ),
});

export type ContractDocument = z.output<typeof contract>;
export type RuleDocument = z.output<typeof rule>;
export type BudgetDocument = z.output<typeof budget>;
export type StepDocument = z.output<typeof step>;
export type GovernanceDocument = z.output<typeof governance>;
