import type { CallCount } from '../api-schema.ts';
import { type Markup, markup } from './markup.ts';

const boxWidth = 132;
const boxHeight = 34;
const columnGap = 100;
const rowGap = 22;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Who called whom for the lane's requests: each service right of the first that called it. */
export function callGraph(calls: readonly CallCount[], changed: readonly string[]): Markup {
  if (calls.length === 0) return markup``;
  const columns = columnsOf(calls);
  const places = new Map<string, Place>();
  columns.forEach((names, column) => {
    names.forEach((name, row) => {
      const x = 4 + column * (boxWidth + columnGap);
      places.set(name, { x, y: 4 + row * (boxHeight + rowGap) });
    });
  });
  const width = columns.length * (boxWidth + columnGap) - columnGap + 8;
  const rows = Math.max(...columns.map(({ length }) => length));
  const height = rows * (boxHeight + rowGap) - rowGap + 8;
  return markup`<svg class="graph" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="The path of the requests">
${calls.map((call) => arrow(call, places))}
${[...Map.groupBy(calls, ({ to }) => to).values()].flatMap((own) => own.map((call, nth) => label(call, nth, places)))}
${[...places].map(([name, place]) => box(name, place, changed.includes(name)))}
</svg>`;
}

function columnsOf(calls: readonly CallCount[]): string[][] {
  const depths = new Map([['outside', 0]]);
  const names = [...new Set(calls.flatMap(({ from, to }) => [from, to]))];
  for (let round = 0; round < names.length; round++) {
    for (const { from, to } of calls) {
      const depth = depths.get(from);
      if (depth !== undefined && !depths.has(to)) depths.set(to, depth + 1);
    }
  }
  const last = Math.max(0, ...depths.values());
  const byDepth = Map.groupBy(names, (name) => depths.get(name) ?? last);
  return [...byDepth].sort(([one], [other]) => one - other).map(([, members]) => members);
}

function arrow({ from, to, failed }: CallCount, places: ReadonlyMap<string, Place>): Markup {
  const [start, end] = [places.get(from), places.get(to)];
  if (!start || !end) return markup``;
  const isOnward = end.x > start.x;
  const x1 = start.x + (isOnward ? boxWidth : 0);
  const x2 = end.x + (isOnward ? 0 : boxWidth);
  const [y1, y2] = [start.y + boxHeight / 2, end.y + boxHeight / 2];
  const middle = (x1 + x2) / 2;
  const kind = failed > 0 ? 'failed' : 'call';
  const tip = isOnward ? -7 : 7;
  return markup`<g class="${kind}"><path d="M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}"/><path class="tip" d="M${x2} ${y2} l${tip} -4 l0 8 z"/></g>`;
}

/** Beside the tip, where arrows are apart; several labels of one service are stacked. */
function label(
  { from, to, count, failed }: CallCount,
  nth: number,
  places: ReadonlyMap<string, Place>,
): Markup {
  const [start, end] = [places.get(from), places.get(to)];
  if (!start || !end) return markup``;
  const isOnward = end.x > start.x;
  const x = isOnward ? end.x - 11 : end.x + boxWidth + 11;
  const y = end.y + boxHeight / 2 + (nth === 0 ? -5 : nth * 12 + 1);
  const text = failed > 0 ? `${count} (${failed} failed)` : String(count);
  return markup`<text class="label" x="${x}" y="${y}" text-anchor="${isOnward ? 'end' : 'start'}">${text}</text>`;
}

function box(name: string, { x, y }: Place, isChanged: boolean): Markup {
  const label = name.length > 18 ? `${name.slice(0, 17)}…` : name;
  return markup`<g class="${isChanged ? 'changed' : 'service'}"><rect x="${x}" y="${y}" width="${boxWidth}" height="${boxHeight}" rx="6"/><text x="${x + boxWidth / 2}" y="${y + boxHeight / 2 + 4}" text-anchor="middle">${label}</text><title>${name}</title></g>`;
}
