import { z } from 'zod';
import { configSchema } from '../../src/system/index.ts';
import { type SchemaNode, schemaTable } from './schema-table.ts';

/** docs/configuration.md, from the schema that reads surety.yaml. */
export function configurationDocument(): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input' }) as SchemaNode;
  return `${[introduction, schemaTable(schema), example].join('\n\n')}\n`;
}

const introduction = `# Configuration

\`surety.yaml\` in the root of a workspace. Every key may be left out, and so may the file. A mistake is
told with its line and column, and a misspelt key with the one that was probably meant. \`\${NAME}\` in any
value is taken from the environment. This page is generated from \`src/system/schema.ts\` by
\`npm run docs\`.`;

const example = `## Example

\`\`\`yaml
workspace: shop
ledger:
  store: postgres
  url: \${SURETY_DATABASE_URL}
api:
  port: 4319
\`\`\``;
