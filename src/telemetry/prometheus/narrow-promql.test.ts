import { expect, test } from 'vitest';
import { laneLabel } from '../lane-key.ts';
import { narrowPromql } from './narrow-promql.ts';

const own = `lane=~"|${laneLabel('lane_a')}"`;
const narrowed = (query: string): string =>
  narrowPromql(query, ['lane_a']).replaceAll(`${own},`, 'L,').replaceAll(own, 'L');

// proves: monitoring.lanes
test.each([
  ['up', 'up{L}'],
  ['up{}', 'up{L,}'],
  ['up{job="a"}', 'up{L,job="a"}'],
  ['up {job="a",}', 'up {L,job="a",}'],
  ['up{job="a" # }\n}', 'up{L,job="a" \n}'],
  ['{__name__=~".+"}', '{L,__name__=~".+"}'],
  ['{"a.metric", x="}"}', '{L,"a.metric", x="}"}'],
  ['up{lane="lane_b"}', 'up{L,lane="lane_b"}'],
  ['rate(requests_total{status=~"5.."}[5m])', 'rate(requests_total{L,status=~"5.."}[5m])'],
  ['sum by (service) (up)', 'sum by (service) (up{L})'],
  ['sum(up) by (lane)', 'sum(up{L}) by (lane)'],
  ['SUM WITHOUT (lane) (a / b)', 'SUM WITHOUT (lane) (a{L} / b{L})'],
  ['a / on (x) group_left (y) b', 'a{L} / on (x) group_left (y) b{L}'],
  ['a and b unless c or d', 'a{L} and b{L} unless c{L} or d{L}'],
  [
    'max_over_time(rate(a[1m])[1h:5m] offset -5m)',
    'max_over_time(rate(a{L}[1m])[1h:5m] offset -5m)',
  ],
  ['a @ start() > bool 1e-3 + Inf', 'a{L} @ start() > bool 1e-3 + Inf'],
  ['sum # up{\n(job:up:sum)', 'sum \n(job:up:sum{L})'],
  ['up # and down', 'up{L} '],
  ['up#\n# {}\n+up', 'up{L}\n\n+up{L}'],
  ['sum', 'sum{L}'],
  ['label_replace(up, "lane", "", "lane", ".*")', 'label_replace(up{L}, "lane", "", "lane", ".*")'],
  [`a{b='}', c=\`"\`}`, `a{L,b='}', c=\`"\`}`],
  ['42', '42'],
])('narrows every selector of %j', (query, wanted) => expect(narrowed(query)).toBe(wanted));

test.each([
  ...['up{', 'up}', 'a[5m', 'up{a="', 'höhe', 'a;b', 'a!b', 'up{{}', 'by (a', 'max on (x) b', ''],
])('refuses %j, which is not valid PromQL', (query) =>
  expect(() => narrowPromql(query, [])).toThrowError(
    expect.objectContaining({ code: 'PROMETHEUS_NOT_NARROWED' }),
  ),
);

test.each(['vector(0) #\r or up', 'up{a="b" #\r} or up{\n}', 'up\r'])(
  'refuses %j, where Prometheus ends a comment at the carriage return',
  (query) => expect(() => narrowPromql(query, [])).toThrowError(),
);

test.each(['info(up)', 'info(up, {a="b"})'])('refuses %j, which reads other series', (query) =>
  expect(() => narrowPromql(query, [])).toThrowError(),
);

test('takes a lane key literally, whatever characters it contains', () => {
  expect(narrowPromql('up', ['.*', 'a"b'])).toMatch(/^up\{lane=~"\|[0-9a-f]{12}\|[0-9a-f]{12}"\}$/);
});
