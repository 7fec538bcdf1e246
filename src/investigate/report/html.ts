import { createHash } from 'node:crypto';
import { Markup, markup } from '../../verify/report/index.ts';
import type { Investigation } from '../api-schema.ts';
import { formatAnswer, moment, values } from './markdown.ts';

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
header.confirmed{border-left:6px solid #1a7f37;padding-left:1rem}
header.unknown{border-left:6px solid #9a6700;padding-left:1rem}
table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2rem .5rem;text-align:left;vertical-align:top}
pre{background:#f6f8fa;padding:.5rem;overflow:auto}.bar{fill:#cf222e}.good{fill:#1a7f37}`;

/** One file that loads nothing, and runs nothing even if a captured value contains markup. */
export function formatHtml(investigation: Investigation): string {
  const { id, status, question, alert, cause, hypotheses, timeline, unknown } = investigation;
  const { text } = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="referrer" content="no-referrer">
<title>Surety: ${status}, ${id}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<header class="${status}"><h1>${status}: ${question ?? alert ?? 'the running version'}</h1>
<p>${formatAnswer(investigation)}</p></header>
<main>
<h2>What was captured</h2>
${captured(cause)}
<h2>Hypotheses</h2>
<table><tr><th>status<th>statement<th>evidence</tr>
${hypotheses.map(({ status: state, statement, evidence }) => markup`<tr><td>${state}<td>${statement}<td>${evidence.join('; ')}</tr>`)}</table>
<h2>Timeline</h2>
<ol>${timeline.map(({ at, what }) => markup`<li><time>${moment(at)}</time> ${what}</li>`)}</ol>
<h2>Affected</h2>
<p>${investigation.blastRadius.services.join(', ') || 'unknown'}; owner: ${investigation.owners.join(', ') || 'not named by CODEOWNERS'}</p>
<h2>Remedy, as a proposal</h2>
<pre>${investigation.remedy || 'none'}</pre>
<h2>Unknown</h2>
<ul>${unknown.map((one) => markup`<li>${one}</li>`)}</ul>
</main>
<footer>report ${id}</footer>
</body>
</html>
`;
  return text;
}

function captured({ place, separation, differences, effects }: Investigation['cause']): Markup {
  if (!place || !separation)
    return markup`<p>Nothing that tells failing from healthy requests.</p>`;
  const rows = [
    ...differences.map((one) => ({ ...one, where: `${place.file}:${place.line}` })),
    ...effects.map((one) => ({ ...one, where: `${one.service} ${one.file}:${one.line}` })),
  ];
  return markup`<p><code>${place.file}:${place.line}</code></p><pre>${place.text}</pre>
${bars(separation)}
<table><tr><th>read<th>where<th>failing<th>healthy</tr>
${rows.map(({ expression, where, failing, healthy }) => markup`<tr><td><code>${expression}</code><td>${where}<td>${values(failing)}<td>${values(healthy)}</tr>`)}</table>`;
}

/** In how many executions the predicate held, on both sides. */
function bars({
  predicate,
  failing,
  healthy,
}: NonNullable<Investigation['cause']['separation']>): Markup {
  const width = ({ held, of }: { held: number; of: number }): number =>
    Math.round((300 * held) / Math.max(1, of));
  return markup`<svg width="520" height="60" role="img" aria-label="${predicate}">
<rect class="bar" x="90" y="5" height="18" width="${width(failing)}"/><text x="0" y="19">failing</text><text x="400" y="19">${failing.held} of ${failing.of}</text>
<rect class="good" x="90" y="33" height="18" width="${width(healthy)}"/><text x="0" y="47">healthy</text><text x="400" y="47">${healthy.held} of ${healthy.of}</text></svg>
<p>${predicate}</p>`;
}

function policy(): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'`;
}
