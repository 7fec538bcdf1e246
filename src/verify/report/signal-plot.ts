import type { ServiceSignal } from '../api-schema.ts';
import { percent } from './markdown.ts';
import { type Markup, markup } from './markup.ts';

const rowHeight = 30;
const left = 240;
const plotWidth = 360;
const right = 410;
const top = 26;

/**
 * The ratio of candidate to control with its interval, one row for each signal, on a logarithmic
 * axis: half and double are equally far from equal.
 */
export function signalPlot(signals: readonly ServiceSignal[]): Markup {
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
