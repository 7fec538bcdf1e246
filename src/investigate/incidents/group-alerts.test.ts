import { describe, expect, test } from 'vitest';
import { alertLimits } from '../limits.ts';
import { type AlertGroup, type CallEdge, groupFor, originOf } from './group-alerts.ts';

const call = (caller: string, callee: string, failed = 0): CallEdge => ({ caller, callee, failed });
const calls = [
  call('edge', 'orders'),
  call('edge', 'reports'),
  call('orders', 'pricing'),
  call('orders', 'postgres://main'),
  call('reports', 'postgres://main'),
];
const group = (...services: string[]): AlertGroup => ({
  onset: 1_000,
  alerts: services.map((service, index) => ({ service, onset: 1_000 + index })),
});
const find = (service: string, groups: AlertGroup[], edges = calls) =>
  groupFor({ service, onset: 2_000 }, groups, edges);

describe('an alert joins the incident', () => {
  test.each([
    ['of the same service', 'pricing', group('pricing')],
    ['of a service that it calls, over others', 'edge', group('pricing')],
    ['of a service that calls it, over others', 'pricing', group('edge')],
    ['of an unknown service with the same name', 'crm', group('crm')],
  ])('%s', (_, service, open) => {
    expect(find(service, [open])).toBe(open);
  });

  test('of a service with the same failing dependency', () => {
    const open = group('orders');
    expect(find('reports', [open])).toBeUndefined();
    const failing = calls.map((one) => ({ ...one, failed: one.callee.includes(':') ? 3 : 0 }));
    expect(find('reports', [open], failing)).toBe(open);
  });

  test('that it belongs to, where there are two', () => {
    const [orders, crm] = [group('orders'), group('crm')];
    expect(find('pricing', [crm, orders])).toBe(orders);
  });
});

describe('an alert opens another incident', () => {
  test('where only a common caller relates it', () => {
    expect(find('reports', [group('edge', 'orders')])).toBeUndefined();
  });

  test('where it begins at another time', () => {
    const open = group('pricing');
    const apart = alertLimits.incidentOnsetMsMax;
    const at = (onset: number) => groupFor({ service: 'pricing', onset }, [open], calls);
    expect(at(1_000 + apart)).toBe(open);
    expect(at(1_001 + apart)).toBeUndefined();
  });
});

test('an incident begins at the deepest service with an alert', () => {
  expect(originOf(group('edge', 'orders', 'pricing').alerts, calls)).toBe('pricing');
  expect(originOf(group('edge').alerts, calls)).toBe('edge');
});

test('services that call each other in a circle are one incident', () => {
  const circle = [call('a', 'b'), call('b', 'a')];
  const open = group('a', 'b');
  expect(groupFor({ service: 'a', onset: 1_000 }, [open], circle)).toBe(open);
  expect(originOf(open.alerts, circle)).toBe('a');
});
