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

A policy is a YAML document, or the same object in TypeScript (\`definePolicy\`). Unknown keys are mistakes; each
mistake is told with file, line and column, all at once. For completion in an editor, begin a document with

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/surety/docs/policy.schema.json
\`\`\`

This page and \`docs/policy.schema.json\` are generated from \`src/gate/language/\` by \`npm run docs\`. Durations are
texts: \`500ms\`, \`30s\`, \`10m\`, \`1h\`, \`90d\`. Money is in whole minor units. An expression is CEL.

## The document

\`tools\`, \`roles\` and \`agents\` have their own tables below.`;

const contracts = `## A contract: \`tools.<name>.…\`

Arguments are checked by JSON Schema 2020-12, strictly: nothing is coerced or filled in, and at every level what is not
declared is denied, unless that level says \`additionalProperties\` itself. A value has a type and a list has \`items\`.
\`pattern\` is RE2. \`$ref\` stays inside of its schema. Formats: \`date\`, \`date-time\`, \`email\`, \`hostname\`, \`ipv4\`,
\`ipv6\`, \`uri\`, \`uuid\`. Results are checked by their schema, and may have more than it declares.`;

const people = `## An agent: \`agents.<name>.…\`

A role has the same keys, except \`roles\`. An agent may use what itself or one of its roles names under \`tools\`; all
constraints and all budgets hold; of limits the smallest holds and of autonomy the lowest. Its own \`resources\` narrow
those of its roles. A role without \`resources\` widens nothing.`;

const expressions = `## What an expression may name

| where | names |
|---|---|
| \`key\`, \`reads\` | \`arguments\`, \`agent\`, \`vars\` |
| \`resources\`, \`cost\`, \`evidence\`, \`lock\` | these and \`reads\` |
| \`preconditions\`, \`invariants\`, \`constraints\`, \`approval.when\` | these and \`task\`, \`now\`, \`trajectory\`, \`seen\`, \`begun\` |
| \`results\`, \`actualCost\`, \`produces\` | \`arguments\`, \`agent\`, \`vars\`, \`reads\`, \`result\` |
| \`recovery\` | \`arguments\`, \`vars\`, \`key\`, \`outcome\`; \`committed\` and \`failed\` also \`read\` |

\`trajectory\` is the list of the agent's last steps: \`tool\`, \`arguments\` (a hash), \`outcome\`, \`code\`. \`seen\` says how
often each tool was committed on this task (or without one); \`begun\` how often the agent was let through with it at
all, on any task and however it ended: what must come before is asked of \`seen\`, what must not have happened of
\`begun\`. Neither forgets. \`agent\` has \`name\` and \`roles\`; \`task\` has \`id\` and \`phase\`;
\`outcome\` has \`status\` and \`code\`.`;

const including = `## Includes, variables, environments

\`include\` names files relative to the document, or \`pack:<name>\`. Tools, roles and agents of all documents are put
together; one that is in two of them is a mistake. Budgets are put one after the other. Variables of an included document
are defaults: the including one wins. An environment gives other values to variables that exist.

\`\${NAME}\` is taken from the environment of the process. Below \`run\` it stays as it is until the tool runs, so that no
secret gets into the ledger; everywhere else its value is part of the policy.`;
