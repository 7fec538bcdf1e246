import { z } from 'zod';
import { configSchema } from '../../src/system/index.ts';
import { type SchemaNode, schemaTable } from './schema-table.ts';

/** docs/configuration.md, from the schema that reads surety.yaml. */
export function configurationDocument(): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input' }) as SchemaNode;
  return `${[introduction, schemaTable(schema)].join('\n\n')}\n`;
}

const introduction = `# Configuration

\`surety.yaml\` in the root of a workspace describes your system, who may do what, and how Surety works.
[system.md](system.md) shows how to run a system; \`surety init\` writes a first file.

\`\`\`yaml
workspace: shop
services:
  orders: { command: node orders.js, port: 4001, health: /healthz, stores: [main] }
  edge: { command: node edge.js, port: 4000, dependsOn: [orders] }
datastores:
  main: { kind: postgres, url: "\${DATABASE_URL}", variable: DATABASE_URL }
ingress: edge
agents:
  coder: { tools: [task.open, test.submit, change.propose, task.verify, change.promote] }
\`\`\`

Every key is optional, and so is the file. A mistake is reported with its line and column, and a misspelt key with the
likely one. \`\${NAME}\` in any value comes from the environment. This page is generated from \`src/system/schema.ts\` by
\`npm run docs\`.`;
