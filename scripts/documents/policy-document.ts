import { policyJsonSchema } from '../../src/gate/language/index.ts';
import { type SchemaNode, schemaTable } from './schema-table.ts';

/** docs/policy.schema.json, by which editors complete and check a policy. */
export function policySchemaFile(): string {
  return `${JSON.stringify(policyJsonSchema(), null, 2)}\n`;
}

/** docs/policy-reference.md, from the schema that reads a policy. */
export function policyDocument(): string {
  const schema = policyJsonSchema() as unknown as SchemaNode;
  const { tools, roles, agents, ...rest } = schema.properties ?? {};
  const valuesOf = (node: SchemaNode | undefined) => node?.additionalProperties as SchemaNode;
  const { recovery, governance, ...contract } = valuesOf(tools).properties ?? {};
  return `${[
    introduction,
    schemaTable({ properties: rest }),
    contracts,
    schemaTable({ properties: contract }),
    '### governance',
    schemaTable(governance ?? {}, 'governance.'),
    '### recovery',
    schemaTable(recovery ?? {}, 'recovery.'),
    people,
    schemaTable(valuesOf(agents)),
    expressions,
    including,
  ].join('\n\n')}\n`;
}

const introduction = `# Policy reference

A policy says which agents may propose which tools, and each tool's contract says what must hold. [guard.md](guard.md) shows
how to write one step by step. A small policy:

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/surety/docs/policy.schema.json
version: 1
mode: enforce
tools:
  refund.issue:
    effect: mutating
    arguments:
      type: object
      required: [order, amount]
      properties: { order: { type: string, maxLength: 20 }, amount: { type: integer, minimum: 1 } }
    governance:
      key: arguments.order
      cost: { money: arguments.amount }
      approval: { when: arguments.amount > 5000, role: approver }
agents:
  clerk:
    tools: [refund.issue]
    budgets: [{ dimension: money, limit: 20000, per: 1d }]
\`\`\`

A policy is a YAML document, or the same object in TypeScript (\`definePolicy\`). The first line above gives completion in an
editor. Unknown keys are mistakes. Surety reports all mistakes at once, each with file, line and column. Durations are
strings: \`500ms\`, \`30s\`, \`10m\`, \`1h\`, \`90d\`. Money is in whole minor units. Expressions are CEL.

This page and \`docs/policy.schema.json\` are generated from \`src/gate/language/\` by \`npm run docs\`.

## The document

\`tools\`, \`roles\` and \`agents\` have their own tables below.`;

const contracts = `## A contract: \`tools.<name>.…\`

Surety checks arguments strictly against JSON Schema 2020-12. It coerces nothing and fills in no defaults. At every level,
undeclared properties are denied, unless that level sets \`additionalProperties\`. Every value needs a type, and every list
needs \`items\`. \`pattern\` is RE2. \`$ref\` stays inside its schema. Formats: \`date\`, \`date-time\`, \`email\`, \`hostname\`,
\`ipv4\`, \`ipv6\`, \`uri\`, \`uuid\`. Results are checked against their schema too, but may have undeclared properties.`;

const people = `## An agent: \`agents.<name>.…\`

A role has the same keys, except \`roles\`. How an agent and its roles combine:

- The agent may use the tools that it or one of its roles names.
- All constraints and all budgets apply.
- The smallest of each limit and the lowest autonomy apply.
- The agent's own \`resources\` narrow those of its roles. A role without \`resources\` does not
  lift the limits of other roles.`;

const expressions = `## Names in expressions

| where | names |
|---|---|
| \`key\`, \`reads\` | \`arguments\`, \`agent\`, \`vars\` |
| \`resources\`, \`cost\`, \`evidence\`, \`lock\` | these and \`reads\` |
| \`preconditions\`, \`invariants\`, \`constraints\`, \`approval.when\` | these and \`task\`, \`now\`, \`trajectory\`, \`seen\`, \`begun\` |
| \`results\`, \`actualCost\`, \`produces\` | \`arguments\`, \`agent\`, \`vars\`, \`reads\`, \`result\` |
| \`recovery\` | \`arguments\`, \`vars\`, \`key\`, \`outcome\`; \`committed\` and \`failed\` also \`read\` |

- \`trajectory\` lists the agent's latest steps: \`tool\`, \`arguments\` (a hash), \`outcome\`, \`code\`.
- \`seen\` counts the committed calls of each tool on this task (or without a task). Use it for what must have happened before.
- \`begun\` counts the granted calls of each tool by this agent, on any task and with any outcome. Use it for what must not
  have happened. Neither count is ever reset.
- \`agent\` has \`name\` and \`roles\`; \`task\` has \`id\` and \`phase\`; \`outcome\` has \`status\` and \`code\`.`;

const including = `## Includes, variables, environments

\`include\` names files relative to the document, or \`pack:<name>\`. Surety merges the tools, roles and agents of all documents;
the same name in two documents is a mistake. Lists of budgets are joined. Variables of an included document are defaults: the
including document wins. An environment overrides variables that exist.

\`\${NAME}\` comes from the environment of the process. Below \`run\` it is resolved only when the tool runs, so that no secret
gets into the ledger. Everywhere else its value becomes part of the policy.`;
