import { z } from 'zod';
import { configSchema } from '../src/system/index.ts';

interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Record<string, Node>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
}

/** docs/configuration.md, from the schema that reads surety.yaml. */
export function configurationDocument(): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input' }) as Node;
  return `${[introduction, table(schema), example].join('\n\n')}\n`;
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

function table(schema: Node): string {
  return ['| key | value | default | meaning |', '|---|---|---|---|', ...rows(schema, '')].join(
    '\n',
  );
}

function rows(node: Node, prefix: string): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, member]) => {
    const key = `${prefix}${name}`;
    if (member.properties) return rows(member, `${key}.`);
    const values = member.additionalProperties;
    if (typeof values === 'object' && values.properties) return rows(values, `${key}.<name>.`);
    return [`| \`${key}\` | ${kind(member)} | ${fallback(member)} | ${member.description ?? ''} |`];
  });
}

function kind({ enum: choices, type, items }: Node): string {
  if (choices) return choices.map((choice) => `\`${choice}\``).join(' or ');
  return type === 'array' ? `list of ${items?.type ?? 'values'}s` : (type ?? '');
}

function fallback({ default: value }: Node): string {
  if (value === undefined) return '';
  return `\`${typeof value === 'object' ? JSON.stringify(value) : String(value)}\``;
}
