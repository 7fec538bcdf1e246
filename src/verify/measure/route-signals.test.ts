import { describe, expect, test } from 'vitest';
import { judgeRoutes, judgeStarts } from './judge-starts.ts';
import { type Measurement, withRoutes } from './measure.ts';
import { routeSignalsOf, signalsOf } from './signals.ts';

const request = (path: string) => ({
  method: 'GET',
  path,
  headers: [],
  body: null,
  status: 200,
  answer: null,
});
const routes = Array.from({ length: 10 }, (_, n) => request(`/${'abcdefghij'[n]}/17`));

/** One start: each route so often, at 1 ms of CPU time; the first is slower on the candidate. */
function start(factor: number, times = 12) {
  const hops = new Map();
  const pairs = Array.from({ length: times }, (_, n) =>
    routes.map((route, index) => {
      const [id, noise] = [`r${n}-${index}`, 1 + ((n * 7 + index * 3) % 5) / 50];
      const cpuUs = (more: number) => [1_000 * noise * more];
      hops.set(id, [{ from: null, to: 'orders', requestId: id, durationMs: 1, startedAt: 0 }]);
      const sample = { id, status: 200 };
      return {
        request: route,
        control: { ...sample, cpuUs: cpuUs(1 + ((n * 3 + index) % 4) / 50) },
        candidate: { ...sample, cpuUs: cpuUs(index === 0 ? factor : 1.02) },
      };
    }),
  ).flat();
  const sampled = { pairs, control: hops, candidate: hops, services: ['orders'], ingress: 'edge' };
  return [...signalsOf(sampled), ...routeSignalsOf(sampled)];
}

const nothing: Measurement = { signals: [], differences: [], remarks: [], undecided: [] };

describe('a route of ten that needs half as much CPU time again', () => {
  const starts = [start(1.5), start(1.5), start(1.5)];

  test('does not show in all requests together, but by itself', () => {
    const worse = [judgeStarts(starts), judgeRoutes(starts)].map((signals) =>
      signals.filter(({ verdict }) => verdict === 'worse'),
    );
    expect(worse).toMatchObject([[], [{ signal: 'cpu-us', route: 'GET /a/(id)' }]]);
  });

  test('is a finding that names the route, if the service is not worse anyway', () => {
    const { differences, signals } = withRoutes(nothing, judgeRoutes(starts));
    expect(differences).toMatchObject([
      { what: 'cpu-us', service: 'orders', place: 'GET /a/(id)', severity: 'fail' },
    ]);
    expect(signals).toHaveLength(1);
    const known = { ...nothing, differences };
    expect(withRoutes(known, judgeRoutes(starts)).differences).toHaveLength(1);
  });

  test('needs enough pairs in each start', () => {
    expect(withRoutes(nothing, judgeRoutes([start(1.5), start(1.5, 4)])).differences).toEqual([]);
  });
});

test('routes are not told apart if there is only one', () => {
  const hops = new Map();
  const pair = { request: routes[0], control: { id: 'a' }, candidate: { id: 'b' } };
  const sampled = { pairs: [pair], control: hops, candidate: hops, services: [], ingress: 'edge' };
  expect(routeSignalsOf(sampled as never)).toEqual([]);
});
