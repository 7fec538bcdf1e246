import { pluralize } from '../../kernel/index.ts';
import type { ChangeCoverage, UnexecutedCode } from './api-schema.ts';

/** `41 of 44 changed lines ran`. */
export function formatCoverage({ status, lines, ran, unknown, data }: ChangeCoverage): string {
  if (status === 'no-code') {
    return data.length > 0 ? 'no program code changed' : 'only comments, types or tests changed';
  }
  if (lines === 0) return `which changed lines ran is unknown (${unknown.join(', ')})`;
  const known = `${ran} of ${pluralize(lines, 'changed line')} ran`;
  return unknown.length > 0 ? `${known}, unknown for ${unknown.join(', ')}` : known;
}

/** Where it is, what it depends on, and what to send. */
export function formatUnexecuted(code: UnexecutedCode): string {
  const { file, line, end, change, text, isLoaded, route, condition, request } = code;
  const at = end > line ? `${file}:${line}-${end}` : `${file}:${line}`;
  const what = change === 'added' ? 'was run by no request' : 'was removed, and no request ran it';
  const where = [
    isLoaded ? [] : 'no process loaded the file',
    code.function === null ? [] : `in ${code.function}`,
    route === null ? [] : `handler of ${route}`,
    condition === null ? [] : `needs ${condition}`,
    request === null ? [] : `start from ${request}, which runs ${code.function ?? 'code near it'}`,
  ].flat();
  const hint = where.length > 0 ? ` (${where.join('; ')})` : '';
  return `${at} ${what}: ${text}${hint}`;
}

const noticesMax = 8;

/** For a change after which nothing at all differed: whoever meant to change something sees it. */
export function formatUndistinguished({ places }: ChangeCoverage): string[] {
  const shown = places.slice(0, noticesMax);
  if (shown.length === 0) return [];
  const more = places.length - shown.length;
  const all = [...shown, ...(more > 0 ? [pluralize(more, 'more place')] : [])].join(', ');
  return [
    `nothing that was compared tells this change from the baseline: ${all}. ` +
      'If it is meant to change behaviour, add a test that fails without it (--test)',
  ];
}

/** What a verdict has to say about code that did not run, or that nobody watched. */
export function coverageNotices(coverage: ChangeCoverage): string[] {
  const { unexecuted, unexecutedOmitted, data, unknown } = coverage;
  const more = unexecuted.length + unexecutedOmitted - noticesMax;
  return [
    ...unexecuted.slice(0, noticesMax).map(formatUnexecuted),
    ...(more > 0 ? [`${pluralize(more, 'more changed place')} was run by no request`] : []),
    ...unknown.map((file) => `${file}: nobody recorded which of its lines ran`),
    ...(data.length > 0
      ? [`${data.join(', ')}: no program; judged only by what the requests showed`]
      : []),
  ];
}
