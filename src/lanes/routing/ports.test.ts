import { expect, test } from 'vitest';
import { leasePort, portRanges } from '../../kernel/index.ts';
import { Ports } from './ports.ts';

const isLeased = async (port: number): Promise<boolean> => {
  const lease = await leasePort(port);
  lease?.release();
  return lease === undefined;
};

test('leases the ports of a lane until the lane ends', async () => {
  const ports = new Ports();
  const reserve = (lane: string) => ports.reserve(lane, new Set());
  const [first, second, other] = await Promise.all(['a', 'a', 'b'].map(reserve));
  const leased = () => Promise.all([first, second, other].map((port) => isLeased(port as number)));
  expect(Math.min(first as number, second as number)).toBeGreaterThanOrEqual(
    portRanges.candidates.first,
  );
  expect(await leased()).toEqual([true, true, true]);
  ports.release('a');
  expect(await leased()).toEqual([false, false, true]);
  ports.release('b');
});

test('leases the ports of a lane again after a restart, unless another lane has them', async () => {
  const before = new Ports();
  const [mine, taken] = [
    await before.reserve('mine', new Set()),
    await before.reserve('x', new Set()),
  ];
  before.release('mine');
  const after = new Ports();
  await after.renew('mine', [mine, taken]);
  expect(await isLeased(mine)).toBe(true);
  after.release('mine');
  expect([await isLeased(mine), await isLeased(taken)]).toEqual([false, true]);
  before.release('x');
});
