import { z } from 'zod';
import { tools } from '../../src/mcp/tools/index.ts';

/** docs/mcp-tools.md, from the table of tools. */
export function mcpToolsDocument(): string {
  const sections = Object.entries(tools).map(([name, { description, input, searched }]) => {
    const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
    const rows = Object.entries(properties)
      .filter(([parameter]) => parameter !== 'cursor')
      .map(([parameter, schema]) => {
        const needed = required.includes(parameter) ? '' : ' (optional)';
        const { description: meaning = '' } = schema as { description?: string };
        return `- \`${parameter}\`${needed}${meaning === '' ? '' : `: ${meaning}`}`;
      });
    const looks = searched === undefined ? [] : [`Changes nothing. Searches ${searched}.`];
    const parts = [`## ${name}`, description, ...looks, rows.join('\n')];
    return parts.filter((part) => part !== '').join('\n\n');
  });
  return `${[introduction, ...sections].join('\n\n')}\n`;
}

const introduction = `# Surety's own tools for agents

These are the tools of \`surety mcp\` and \`/mcp/surety\`. [mcp.md](mcp.md) shows how to connect, and which tools belong together.
Tools that change nothing also take a \`cursor\`: the \`next\` of the previous answer. This page is generated from
\`src/mcp/tools/\` by \`npm run docs\`.`;
