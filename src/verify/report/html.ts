import { createHash } from 'node:crypto';
import type { ServiceSignal, VerifiedChange } from '../api-schema.ts';
import { formatCoverage } from '../line-coverage/format-coverage.ts';
import { callGraph } from './call-graph.ts';
import { formatCalibration } from './format-calibration.ts';
import { formatConsequence, formatFinding, formatOrigin, groupByCause } from './format-finding.ts';
import { percent } from './markdown.ts';
import { Markup, markup } from './markup.ts';

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

function summary(verdict: VerifiedChange): Markup {
  const { services, reach, checks, coverage, calibration } = verdict;
  const origin = formatOrigin(verdict);
  const facts: [string, string][] = [
    ...(origin === null ? [] : [['verified', origin] as [string, string]]),
    ['changed', services.join(', ') || 'nothing'],
    ...reach.candidates.map(({ service, sent, served }): [string, string] => [
      `reach of ${service}`,
      `served ${served} of ${sent} requests sent to it`,
    ]),
    ['checks', `${checks.passed} passed, ${checks.failed} failed`],
    ...(coverage ? [['changed lines', formatCoverage(coverage)] as [string, string]] : []),
    ['false alarms', formatCalibration(calibration)],
  ];
  return markup`<dl>${facts.map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function findings({ findings: all, findingsOmitted }: VerifiedChange): Markup {
  if (all.length === 0) return markup``;
  const more = findingsOmitted > 0 ? [markup`<p>… and ${findingsOmitted} more.</p>`] : [];
  return markup`<section><h2>Findings</h2>${groupByCause(all).map(article)}${more}</section>`;
}

type CausedFindings = ReturnType<typeof groupByCause>[number];

function article({ finding, consequences }: CausedFindings): Markup {
  const { class: kind, title, where, sides, before, after } = formatFinding(finding);
  const { id, lines, logs, trace, reproduction } = finding;
  const path = finding.kind === 'check' ? finding.path : [];
  return markup`<article id="${id}"><h3><span class="class">${kind}</span> ${title}</h3>
<p class="where">${where}</p>
<table><tr><th>${sides[0]}</th><td>${before}</td></tr><tr><th>${sides[1]}</th><td>${after}</td></tr></table>
${path.length > 0 ? markup`<ol class="path">${path.map((hop) => markup`<li>${hop}</li>`)}</ol>` : markup``}
${lines.map(({ file, line, text }) => markup`<figure><figcaption>${file}:${line}</figcaption><pre>${text.map(changedLine)}</pre></figure>`)}
${logs.length > 0 ? markup`<details><summary>Logs of its request (${logs.length})</summary><pre>${logs.join('\n')}</pre></details>` : markup``}
${consequences.length > 0 ? markup`<details><summary>What follows from it (${consequences.length})</summary>${list(consequences.map(formatConsequence))}</details>` : markup``}
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

const pageStyle = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5d6878; --paper: #fff; --panel: #f5f6f8; --line: #d8dde4;
  --good: #1a7f4b; --bad: #c0322b; --warn: #9a6700; --added: #e3f5e9; --removed: #fbe9e7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b4; --paper: #14181e; --panel: #1d232b;
  --line: #343c47; --good: #4cc38a; --bad: #ff7b72; --warn: #e3b341; --added: #16301f; --removed: #3a1d1c; } }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
header, main, footer { max-width: 980px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 28px; border-bottom: 1px solid var(--line); }
header h1 { margin: 0; font-size: 30px; } header p { margin: 4px 0 18px; font-size: 17px; overflow-wrap: anywhere; }
.pass h1 { color: var(--good); } .fail h1 { color: var(--bad); } .inconclusive h1 { color: var(--warn); }
h2 { margin: 30px 0 10px; font-size: 19px; } h3 { margin: 0; font-size: 16px; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; margin: 18px 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
article { border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 6px; padding: 14px 18px; margin: 0 0 16px; }
.class { background: var(--panel); border-radius: 4px; padding: 1px 7px; color: var(--bad); font-size: 13px; }
.where { margin: 4px 0 10px; color: var(--soft); overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th { width: 84px; text-align: left; font-weight: 500; color: var(--soft); vertical-align: top; padding: 2px 0; }
td { font: 13px/1.6 ui-monospace, monospace; overflow-wrap: anywhere; padding: 2px 0; }
pre, code { font: 13px/1.5 ui-monospace, monospace; background: var(--panel); border-radius: 4px; }
pre { margin: 0; padding: 8px 10px; overflow-x: auto; } code { padding: 2px 6px; overflow-wrap: anywhere; }
figure { margin: 12px 0 0; } figcaption { color: var(--soft); font-size: 13px; }
pre .added { background: var(--added); } pre .removed { background: var(--removed); }
.path { margin: 10px 0 0; padding-left: 22px; color: var(--soft); font-size: 13px; }
details { margin-top: 12px; } summary { cursor: pointer; color: var(--soft); }
.commands { margin: 12px 0 0; }
svg { max-width: 100%; height: auto; font: 13px system-ui, sans-serif; } svg text { fill: var(--ink); }
.plot { width: 100%; } .plot .axis { fill: var(--soft); font-size: 11px; } .plot .grid { stroke: var(--line); }
.plot .same { stroke: var(--soft); stroke-dasharray: 3 3; } .plot .interval { stroke-width: 3; stroke-linecap: round; }
.worse .interval { stroke: var(--bad); } .worse circle { fill: var(--bad); } .not-worse .interval { stroke: var(--good); }
.not-worse circle { fill: var(--good); } .plot .inconclusive .interval { stroke: var(--warn); } .plot .inconclusive circle { fill: var(--warn); }
.graph rect { fill: var(--panel); stroke: var(--line); } .graph .changed rect { stroke: var(--warn); stroke-width: 2.5; }
.graph path { fill: none; stroke: var(--soft); stroke-width: 1.4; } .graph .tip { fill: var(--soft); stroke: none; }
.graph .failed path { stroke: var(--bad); } .graph .failed .tip { fill: var(--bad); stroke: none; }
.graph .label { fill: var(--soft); font-size: 11px; paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
ul { padding-left: 20px; } li { overflow-wrap: anywhere; }
footer { margin-top: 30px; padding-bottom: 30px; color: var(--soft); font-size: 12px; overflow-wrap: anywhere; }
`;

const rowHeight = 30;
const left = 240;
const plotWidth = 360;
const right = 410;
const top = 26;

/**
 * The ratio of candidate to control with its interval, one row for each signal, on a logarithmic
 * axis: half and double are equally far from equal.
 */
function signalPlot(signals: readonly ServiceSignal[]): Markup {
  const shown = signals.filter(({ ratio }) => ratio !== null);
  if (shown.length === 0) return markup``;
  const reach = reachOf(shown);
  const at = (ratio: number): number => {
    const share = Math.log(clamp(ratio, reach)) / Math.log(reach);
    return round(left + plotWidth / 2 + (share * plotWidth) / 2);
  };
  const height = top + shown.length * rowHeight + 14;
  const width = left + plotWidth + right;
  const marks = [1 / reach, 1 / Math.sqrt(reach), 1, Math.sqrt(reach), reach];
  return markup`<p class="where">Candidate to control, pair by pair, with the 95 % interval.</p>
<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="Measured signals, candidate to control">
${marks.map((mark) => axisMark(mark, at(mark), height))}
${shown.map((signal, index) => row(signal, top + (index + 0.5) * rowHeight, at))}
</svg>`;
}

/** How far the axis goes: to the farthest end of an interval, between 1.1 and 10. */
function reachOf(signals: readonly ServiceSignal[]): number {
  const ends = signals.flatMap(({ ratio, interval }) => [ratio, interval.low, interval.high]);
  const known = ends.filter(
    (end): end is number => end !== null && end > 0 && Number.isFinite(end),
  );
  return Math.min(10, Math.max(1.1, ...known.map((end) => Math.max(end, 1 / end) * 1.05)));
}

function clamp(ratio: number, reach: number): number {
  return Math.min(reach, Math.max(1 / reach, ratio));
}

function axisMark(ratio: number, x: number, height: number): Markup {
  const kind = ratio === 1 ? 'same' : 'grid';
  return markup`<line class="${kind}" x1="${x}" x2="${x}" y1="${top - 6}" y2="${height - 8}"/><text class="axis" x="${x}" y="12" text-anchor="middle">${ratio === 1 ? 'the same' : percent(ratio)}</text>`;
}

function row(signal: ServiceSignal, y: number, at: (ratio: number) => number): Markup {
  const { service, signal: name, verdict, ratio, interval, pairs, starts } = signal;
  const low = at(interval.low ?? 0);
  const high = at(interval.high ?? Number.POSITIVE_INFINITY);
  const ends = [interval.low, interval.high].map((end) => (end === null ? '?' : percent(end)));
  const label = `${percent(ratio ?? 1)} [${ends.join(', ')}], ${pairs} pairs, ${starts} starts`;
  return markup`<g class="${verdict}"><text x="${left - 12}" y="${y + 4}" text-anchor="end">${service} · ${name}</text><line class="interval" x1="${low}" x2="${high}" y1="${y}" y2="${y}"/><circle cx="${at(ratio ?? 1)}" cy="${y}" r="5"/><text x="${left + plotWidth + 12}" y="${y + 4}">${label}</text></g>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
