import { parameterMeanings, questions, viewColumns } from '../../src/telemetry/index.ts';

/** `docs/telemetry-reference.md`: the views and the questions, from the code. */
export function telemetryDocument(): string {
  return `${[heading, ...views(), '## Questions', asking, ...asked(), '## What a question takes', parameters()].join('\n\n')}\n`;
}

const heading = `# Telemetry: views and questions

[telemetry.md](telemetry.md) says how telemetry comes in and how it is asked. This page is generated from
\`src/telemetry/questions/\` by \`npm run docs\`.

## Views

Times are UTC. An empty text stands for what is not known.`;

const asking = `\`surety query <question>\`, \`ask_telemetry\` over MCP, \`POST /v1/telemetry/ask\`. All take \`since\`, \`until\` and
a number of rows besides.`;

function views(): string[] {
  return Object.entries(viewColumns).map(([view, columns]) => {
    const rows = Object.entries(columns).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`);
    return [`### ${view}\n`, '| column | what it says |', '| --- | --- |', ...rows].join('\n');
  });
}

function asked(): string[] {
  return questions.map(({ name, asks, takes, needs, sinceMs, views: from }) => {
    const range =
      sinceMs === null ? 'everything that is kept' : `the last ${sinceMs / 60_000} minutes`;
    const given = takes.map((parameter) => `\`${parameter}\``).join(', ');
    const needed = needs ? ` Needs ${needs.join(' or ')}.` : '';
    return `### ${name}\n\n${asks}\n\nTakes ${given}; looks through ${from.join(', ')}; ${range} unless told.${needed}`;
  });
}

function parameters(): string {
  const rows = Object.entries(parameterMeanings).map(
    ([name, meaning]) => `- \`${name}\`: ${meaning}`,
  );
  return rows.join('\n');
}
