import { readFileSync } from 'node:fs';
import { limits } from '../../src/kernel/index.ts';

/** docs/limits.md, from the table of limits and the comment above each line of it. */
export function limitsDocument(): string {
  const source = readFileSync(new URL('../../src/kernel/limits.ts', import.meta.url), 'utf8');
  const rows = Object.entries(limits).map(([name, value]) => {
    const [, meaning = ''] = new RegExp(`/\\*\\* ([^\\n]*) \\*/\\n  ${name}:`).exec(source) ?? [];
    return `| \`${name}\` | ${value.toLocaleString('en')} | ${meaning} |`;
  });
  return `${[introduction, '| limit | value | what it bounds |\n|---|---:|---', ...rows].join('\n')}\n`;
}

const introduction = `# Limits

Every bound in Surety. The unit is the last word before \`Max\` or \`Every\` in the name. Each has a test on
both sides. This page is generated from \`src/kernel/limits.ts\` by \`npm run docs\`.
`;
