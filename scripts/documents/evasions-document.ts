import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JudgedLine, judgeLine, settingsOf } from '../campaign/shell-commands.ts';

const file = join(import.meta.dirname, '../../tests/fixtures/shell-evasions.json');

/** Commands that hide a forbidden effect, by the way in which they hide it. */
export function judgeEvasions(): ReadonlyMap<string, readonly JudgedLine[]> {
  const classes = JSON.parse(readFileSync(file, 'utf8')) as Record<string, readonly string[]>;
  const settings = settingsOf(undefined);
  const judged = Object.entries(classes).map(
    ([name, commands]) =>
      [name, commands.map((command) => judgeLine({ command }, settings))] as const,
  );
  return new Map(judged);
}

/** `docs/shell-evasions.md` */
export function evasionsDocument(): string {
  const judged = judgeEvasions();
  const all = [...judged.values()].flat();
  const lines = [
    '# Commands that hide what they do',
    '',
    '<!-- Made by `npm run docs` from tests/fixtures/shell-evasions.json. -->',
    '',
    'Each command below writes outside of the project, reads a secret, rewrites history on a remote, or changes the hooks, and hides it.',
    'The table shows what the default rules of [`pack:coding-agent`](hooks.md) decide. The commands are judged and never run',
    '[hooks.evasions].',
    '',
    '| they hide it by | commands | denied | held | allowed |',
    '| --- | --: | --: | --: | --: |',
    ...[...judged, ['**all**', all] as const].map(([name, found]) => summaryRow(name, found)),
  ];
  for (const [name, found] of judged) lines.push('', ...section(name, found));
  return `${lines.join('\n')}\n`;
}

function summaryRow(name: string, found: readonly JudgedLine[]): string {
  const count = (verdict: string): number => found.filter((one) => one.verdict === verdict).length;
  return `| ${name} | ${found.length} | ${count('deny')} | ${count('hold')} | ${count('allow')} |`;
}

function section(name: string, found: readonly JudgedLine[]): string[] {
  const rows = found.map(({ command, verdict, rulings }) => {
    const rules = [...new Set(rulings.map(({ rule }) => `\`${rule}\``))].join(', ');
    return `| ${verdict} | ${rules} | ${formatCommand(command)} |`;
  });
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return [`## ${title}`, '', '| decision | rules | command |', '| --- | --- | --- |', ...rows];
}

/** A table cell cannot contain a bar or a line break. */
function formatCommand(command: string): string {
  const text = command.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<code>${text.replaceAll('|', '&#124;').replaceAll('*', '&#42;').replaceAll('`', '&#96;').replaceAll('_', '&#95;').replaceAll('\n', '⏎')}</code>`;
}
