import { expect, test } from 'vitest';
import { describeParent, describeRights } from './check-cluster.ts';

test('missing rights are named with their purpose and a remedy', () => {
  expect(describeRights([], 20, 'shop')).toEqual({ level: 'ok', detail: 'all 20 rights in shop' });
  const bad = describeRights(['create deployments (runs candidates)'], 20, 'shop');
  expect(bad).toMatchObject({ level: 'bad', remedy: expect.stringContaining('manifests') });
  expect(bad.detail).toBe('missing in shop: create deployments (runs candidates)');
});

test('a gateway is there, not programmed, or missing', () => {
  const place = { kind: 'Gateway', name: 'public', place: 'infra' };
  const programmed = (status: string) => ({
    status: { conditions: [{ type: 'Programmed', status }] },
  });
  expect(describeParent(programmed('True'), place).level).toBe('ok');
  expect(describeParent(programmed('False'), place).level).toBe('warn');
  expect(describeParent({}, { ...place, kind: 'Service' }).level).toBe('ok');
  expect(describeParent(null, place)).toMatchObject({
    level: 'bad',
    detail: 'there is no Gateway public in infra',
  });
});
