import { describe, expect, test } from 'vitest';
import { ofAlertmanager, ofWebhook } from './heard-alert.ts';

describe('an Alertmanager notification', () => {
  const alert = (labels: Record<string, string>, more: object = {}) => ({
    status: 'firing' as const,
    labels,
    ...more,
  });

  test('yields one alert for each entry', () => {
    const annotations = { summary: 'Too slow', description: 'p99 is 3 s' };
    const [first, second] = ofAlertmanager({
      alerts: [
        alert(
          { alertname: 'Slow', service: 'orders', severity: 'page' },
          { annotations, fingerprint: 'd3b0', startsAt: '2026-11-15T12:00:00Z' },
        ),
        alert({ alertname: 'Down', job: 'edge' }, { status: 'resolved' }),
      ],
    });
    expect(first).toEqual({
      fingerprint: 'd3b0',
      alert: 'Slow',
      state: 'firing',
      service: 'orders',
      metric: '',
      note: 'Too slow',
      source: 'alertmanager',
      startsAt: '2026-11-15T12:00:00Z',
      labels: { alertname: 'Slow', service: 'orders', severity: 'page' },
    });
    expect(second).toMatchObject({ state: 'resolved', service: 'edge', note: '' });
  });

  test('distinguishes alerts without fingerprints by name and labels in any order', () => {
    const marks = (...alerts: Record<string, string>[]) =>
      ofAlertmanager({ alerts: alerts.map((labels) => alert(labels)) }).map(
        ({ fingerprint }) => fingerprint,
      );
    const [one, same, other] = marks({ a: '1', b: '2' }, { b: '2', a: '1' }, { a: '1' });
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  test('replaces a fingerprint that is not a valid key', () => {
    const [odd] = ofAlertmanager({ alerts: [alert({}, { fingerprint: 'a/ö\n' })] });
    expect(odd?.fingerprint).toMatch(/^[0-9a-f]{32}$/);
    expect(odd?.alert).toBe('unnamed');
  });

  test('shortens long texts', () => {
    const long = 'x'.repeat(100_000);
    const [notice] = ofAlertmanager({
      alerts: [alert({ alertname: long, app: long }, { annotations: { message: long } })],
    });
    expect(JSON.stringify({ ...notice, labels: {} }).length).toBeLessThan(2_000);
    expect(notice?.labels.app).toBe(long);
  });
});

test('any other webhook names its source and optionally the service', () => {
  const alert = { name: 'cpu', state: 'firing' as const, labels: { app: 'edge' } };
  const alerts = [alert, { ...alert, id: 'a1', service: 'orders', note: 'hot', startsAt: 'x' }];
  expect(ofWebhook({ source: 'nagios', alerts })).toMatchObject([
    { alert: 'cpu', source: 'nagios', service: 'edge', note: '', startsAt: '' },
    { fingerprint: 'a1', service: 'orders', note: 'hot', startsAt: 'x' },
  ]);
});
