import { expect, test } from 'vitest';
import { narrowPromql } from './narrow-promql.ts';

const own = 'lane=~"|lane_a"';
const narrowed = (query: string): string =>
  narrowPromql(query, ['lane_a']).replaceAll(/\s+/g, ' ').replaceAll(own, 'L');

// proves: monitoring.lanes
test.each([
  ['up', 'up{L}'],
  ['up{}', 'up{L}'],
  ['up{job="a"}', 'up{job="a",L}'],
  ['up {job="a",}', 'up{job="a",L}'],
  ['{__name__=~".+"}', '{__name__=~".+",L}'],
  ['{"a.metric", x="}"}', '{"a.metric", x="}",L}'],
  ['up{lane="lane_b"}', 'up{lane="lane_b",L}'],
  [
    'rate(http_requests_total{status=~"5.."}[5m])',
    'rate ( http_requests_total{status=~"5..",L} [5m] )',
  ],
  ['sum by (service) (up)', 'sum by (service) ( up{L} )'],
  ['sum(up) by (lane)', 'sum ( up{L} ) by (lane)'],
  ['SUM WITHOUT (lane) (a / b)', 'SUM WITHOUT (lane) ( a{L} / b{L} )'],
  ['a / on (x) group_left (y) b', 'a{L} / on (x) group_left (y) b{L}'],
  ['a / on(x) group_left b', 'a{L} / on (x) group_left b{L}'],
  ['a and b unless c or d', 'a{L} and b{L} unless c{L} or d{L}'],
  [
    'max_over_time(rate(a[1m])[1h:5m] offset -5m)',
    'max_over_time ( rate ( a{L} [1m] ) [1h:5m] offset - 5m )',
  ],
  ['a @ start() > bool 1e-3 + Inf', 'a{L} @ start ( ) > bool 1e-3 + Inf'],
  ['sum # up{\n(job:up:sum)', 'sum ( job:up:sum{L} )'],
  ['sum', 'sum{L}'],
  ['max on (x) b', 'max{L} on (x) b{L}'],
  [
    'label_replace(up, "lane", "", "lane", ".*")',
    'label_replace ( up{L} , "lane" , "" , "lane" , ".*" )',
  ],
  [`a{b='}', c=\`"\`}`, `a{b='}', c=\`"\`,L}`],
  ['42', '42'],
])('%s', (query, wanted) => expect(narrowed(query)).toBe(wanted));

test.each(['up{', 'up}', 'a[5m', 'up{a="', 'höhe', 'a;b', 'a!b', 'up{{}', 'by (a'])(
  'what can not be read is refused: %s',
  (query) =>
    expect(() => narrowPromql(query, [])).toThrowError(
      expect.objectContaining({ code: 'PROMETHEUS_NOT_NARROWED' }),
    ),
);

test('a key means itself, whatever it is made of', () => {
  expect(narrowPromql('up', ['.*', 'a"b'])).toBe(String.raw`up{lane=~"|\\.\\*|a\\\"b"}`);
});
