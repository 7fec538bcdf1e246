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

What \`surety mcp\` and \`/mcp/surety\` offer; [mcp.md](mcp.md) says how to connect. Tools that change nothing take a
\`cursor\` besides: the \`next\` of the answer before. This page is generated from \`src/mcp/tools/\` by \`npm run docs\`.`;
