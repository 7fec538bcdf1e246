import { type LimitTable, limitTables, readMeanings } from './limit-tables.ts';

/** docs/limits.md, from the tables of limits and the comment above each line of them. */
export function limitsDocument(): string {
  return `${[introduction, ...limitTables.map(section)].join('\n\n')}\n`;
}

function section(table: LimitTable): string {
  const meanings = readMeanings(table);
  const rows = Object.entries(table.limits).map(
    ([name, value]) =>
      `| \`${name}\` | ${value.toLocaleString('en')} | ${meanings.get(name) ?? ''} |`,
  );
  const head = '| limit | value | what it bounds |\n|---|---:|---';
  return [`## ${table.title}\n`, head, ...rows].join('\n');
}

const introduction = `# Limits

The limits that somebody can run into: each refuses, cuts, drops or ends something. The unit is the last word of the
name before \`Max\`, \`Min\` or \`Every\`. Tests check both sides of each limit that is not a deadline.

This page is generated from the \`limits.ts\` of each folder in \`src/\` by \`npm run docs\`.`;
