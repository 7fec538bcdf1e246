import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

it('writes counters with escaped labels', () => {
  const metrics = createMetrics();
  metrics.counter('things_total', 'Things.').add({ name: 'a "b" \\ c' });
  metrics.counter('things_total', 'Things.').add({ name: 'a "b" \\ c' }, 2);
  expect(metrics.text()).toBe(
    '# HELP things_total Things.\n# TYPE things_total counter\n' +
      'things_total{name="a \\"b\\" \\\\ c"} 3\n',
  );
});

it('writes cumulative histogram buckets', () => {
  const metrics = createMetrics();
  const histogram = metrics.histogram('wait_seconds', 'Waiting.');
  histogram.observe(0.2);
  histogram.observe(30);
  expect(metrics.text()).toContain('wait_seconds_bucket{le="0.1"} 0\n');
  expect(metrics.text()).toContain('wait_seconds_bucket{le="0.25"} 1\n');
  expect(metrics.text()).toContain('wait_seconds_bucket{le="+Inf"} 2\n');
  expect(metrics.text()).toContain('wait_seconds_sum 30.2\nwait_seconds_count 2\n');
});
