import { createHash } from 'node:crypto';
import type { Finding, VerifiedChange } from '../api-schema.ts';
import { callGraph } from './call-graph.ts';
import { formatCalibration } from './format-calibration.ts';
import { formatFinding } from './format-finding.ts';
import { Markup, markup } from './markup.ts';
import { pageStyle } from './page-style.ts';
import { signalPlot } from './signal-plot.ts';

/**
 * One file that loads nothing: no script, picture or font. Its content security policy forbids that
 * even if a log line contains markup.
 */
export function htmlReport(verdict: VerifiedChange): string {
  const { text } = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(pageStyle)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Surety: ${verdict.verdict}, ${verdict.change}</title>
<style>${verbatim(pageStyle)}</style>
</head>
<body>
<header class="${verdict.verdict}"><h1>${verdict.verdict}</h1><p>${verdict.reason}</p></header>
<main>
${summary(verdict)}
${section('The path of the requests', callGraph(verdict.calls, verdict.services))}
${findings(verdict)}
${section('Measured signals', signals(verdict))}
${section('Notices', list(verdict.notices))}
</main>
<footer>verdict ${verdict.id} · change ${verdict.change} on ${verdict.base} · profile ${verdict.profile}</footer>
</body>
</html>
`;
  return text;
}

/** Allows only this style. */
function policyOf(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

/** Our own text, which need not be escaped. */
function verbatim(text: string): Markup {
  return new Markup(text);
}

function section(title: string, content: Markup): Markup {
  return content.text === '' ? content : markup`<section><h2>${title}</h2>${content}</section>`;
}

function summary({ services, reach, checks, calibration }: VerifiedChange): Markup {
  const facts: [string, string][] = [
    ['changed', services.join(', ') || 'nothing'],
    ...reach.candidates.map(({ service, sent, served }): [string, string] => [
      `reach of ${service}`,
      `served ${served} of ${sent} requests sent to it`,
    ]),
    ['checks', `${checks.passed} passed, ${checks.failed} failed`],
    ['false alarms', formatCalibration(calibration)],
  ];
  return markup`<dl>${facts.map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function findings({ findings: all, findingsOmitted }: VerifiedChange): Markup {
  if (all.length === 0) return markup``;
  const more = findingsOmitted > 0 ? [markup`<p>… and ${findingsOmitted} more.</p>`] : [];
  return markup`<section><h2>Findings</h2>${all.map(article)}${more}</section>`;
}

function article(finding: Finding): Markup {
  const { class: kind, title, where, sides, before, after } = formatFinding(finding);
  const { id, lines, logs, trace, reproduction } = finding;
  const path = finding.kind === 'check' ? finding.path : [];
  return markup`<article id="${id}"><h3><span class="class">${kind}</span> ${title}</h3>
<p class="where">${where}</p>
<table><tr><th>${sides[0]}</th><td>${before}</td></tr><tr><th>${sides[1]}</th><td>${after}</td></tr></table>
${path.length > 0 ? markup`<ol class="path">${path.map((hop) => markup`<li>${hop}</li>`)}</ol>` : markup``}
${lines.map(({ file, line, text }) => markup`<figure><figcaption>${file}:${line}</figcaption><pre>${text.map(changedLine)}</pre></figure>`)}
${logs.length > 0 ? markup`<details><summary>Logs of its request (${logs.length})</summary><pre>${logs.join('\n')}</pre></details>` : markup``}
<p class="commands"><code>${reproduction}</code>${trace === null ? markup`` : markup`<br><code>${trace}</code>`}</p></article>`;
}

function changedLine(line: string): Markup {
  const kind = line.startsWith('+') ? 'added' : 'removed';
  return markup`<span class="${kind}">${line}</span>\n`;
}

function signals({ signals: all }: VerifiedChange): Markup {
  const counted = all.filter(({ ratio }) => ratio === null);
  const lines = counted.map(
    ({ service, signal, verdict, before, after }) =>
      `${service} · ${signal}: ${before} → ${after}, ${verdict}`,
  );
  const plot = signalPlot(all);
  return plot.text === '' && lines.length === 0 ? plot : markup`${plot}${list(lines)}`;
}

function list(lines: readonly string[]): Markup {
  return lines.length === 0
    ? markup``
    : markup`<ul>${lines.map((line) => markup`<li>${line}</li>`)}</ul>`;
}
