import { parameterMeanings, questions, viewColumns } from '../../src/telemetry/index.ts';

/** `docs/telemetry-reference.md`: the views and the named queries, from the code. */
export function telemetryDocument(): string {
  return `${[heading, ...views(), '## Named queries', asking, ...asked(), '## Parameters', parameters()].join('\n\n')}\n`;
}

const heading = `# Telemetry reference: views and named queries

Use these views in \`surety query --sql\`, and these queries by name: \`surety query error-rate --service orders --since 10m\`.
[telemetry.md](telemetry.md) shows how to query and where telemetry comes from. This page is generated from
\`src/telemetry/questions/\` by \`npm run docs\`.

## Views

Times are UTC. An empty string means that the value is unknown.`;

const asking = `Run one with \`surety query <name>\`, \`ask_telemetry\` over MCP, or \`POST /v1/telemetry/ask\`. Every query also
takes \`since\`, \`until\` and a maximum number of rows.`;

function views(): string[] {
  return Object.entries(viewColumns).map(([view, columns]) => {
    const rows = Object.entries(columns).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`);
    return [`### ${view}\n`, '| column | meaning |', '| --- | --- |', ...rows].join('\n');
  });
}

function asked(): string[] {
  return questions.map(({ name, asks, takes, needs, sinceMs, views: from }) => {
    const range = sinceMs === null ? 'everything kept' : `the last ${sinceMs / 60_000} minutes`;
    const given = takes.map((parameter) => `\`${parameter}\``).join(', ');
    const needed = needs ? ` Requires ${needs.join(' or ')}.` : '';
    return `### ${name}\n\n${asks}\n\nParameters: ${given}. Searches ${from.join(', ')}. Default range: ${range}.${needed}`;
  });
}

function parameters(): string {
  const rows = Object.entries(parameterMeanings).map(
    ([name, meaning]) => `- \`${name}\`: ${meaning}`,
  );
  return rows.join('\n');
}
