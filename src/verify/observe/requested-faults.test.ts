import { expect, test } from 'vitest';
import { hopName } from '../compare/index.ts';
import { request } from '../compare/recorded.fixture.ts';
import { withRequestedFaults } from './requested-faults.ts';

const fault = 'orders>pricing:delay=800';
const call = { to: 'pricing', path: '/quotes' };
const names = (...hops: Parameters<typeof withRequestedFaults>[0]): string[] =>
  withRequestedFaults(hops).map(hopName);

test('calls have the faults that came from outside, whatever services write into the header', () => {
  const plain = request([call]);
  const made = request([{ ...call, faults: fault, injected: 'status=503', answered: false }]);
  expect(names(...made)).toEqual(names(...plain));
  expect(withRequestedFaults(made)[1]).not.toHaveProperty('injected');
  const met = { injected: 'lost', status: 0, lostStatus: 200 };
  const broken = request([{ ...call, faults: fault, ...met }]);
  expect(withRequestedFaults(broken)[1]).not.toHaveProperty('lostStatus');
  const asked = request([{ ...call, faults: fault, injected: 'delay=800' }], { faults: fault });
  expect(withRequestedFaults(asked)).toEqual(asked);
  const lost = request([call], { faults: fault });
  expect(names(...lost)).toEqual(names(...asked));
});
