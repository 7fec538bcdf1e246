import { describe, expect, test } from 'vitest';
import { type Lease, sharedLimits } from '../../kernel/index.ts';
import { type Entry, MemoryRows } from '../../ledger/index.ts';
import { slots } from './projection.ts';
import { isCurrent, releaseSlot, type SlotRow, slotKey, takeSlot } from './slot.ts';

const now = 1_700_000_000_000;
const request = { resource: 'lock:order/1', owner: 'prop_1', ttlMs: 100, reap: 'expire', max: 1 };

class Place {
  readonly rows = new MemoryRows();
  row = (): SlotRow | undefined => this.rows.get<SlotRow>(slotKey(request.resource));

  take(at: number, max = 1, ttlMs = 100): Lease {
    const taken = takeSlot(this.row(), { ...request, max, ttlMs }, at);
    if ('takenUntil' in taken) throw new Error(`taken until ${taken.takenUntil}`);
    this.apply('proposal-granted', { leases: [taken.lease] }, at);
    return taken.lease;
  }

  apply(kind: string, body: object, at: number): void {
    const entry = { kind, body, at } as unknown as Entry;
    expect(slots.keys(entry)).toEqual([slotKey(request.resource)]);
    slots.apply(this.rows, entry);
  }
}

describe('a lock', () => {
  test('has one holder until it is released', () => {
    const place = new Place();
    const { fence } = place.take(now);
    expect(isCurrent(place.row(), fence, now + 99)).toBe(true);
    expect(() => place.take(now + 50)).toThrow(`taken until ${now + 100}`);
    place.apply('proposal-committed', { released: [{ ...request, fence }] }, now + 60);
    expect(isCurrent(place.row(), fence, now + 60)).toBe(false);
    expect(place.take(now + 60).fence).toBe(2);
  });

  // proves: gate.slots
  test('passes on when it expires, and the fence tells a paused holder apart', () => {
    const place = new Place();
    const first = place.take(now);
    const second = place.take(now + 100);
    expect([first.fence, second.fence]).toEqual([1, 2]);
    expect(isCurrent(place.row(), first.fence, now + 100)).toBe(false);
    expect(isCurrent(place.row(), second.fence, now + 100)).toBe(true);
    // Its outcome is recorded all the same, and takes nothing from its successor.
    place.apply('proposal-committed', { released: [{ ...request, fence: 1 }] }, now + 110);
    expect(isCurrent(place.row(), second.fence, now + 110)).toBe(true);
  });

  test('counts as lost when it is released twice or after its end', () => {
    const place = new Place();
    const { fence } = place.take(now);
    const row = place.row() as SlotRow;
    const lost = expect.objectContaining({ code: 'LEASE_LOST' });
    const released = releaseSlot(row, fence, now);
    expect(released).toEqual({ fence: 1, leases: [] });
    expect(() => releaseSlot(released, fence, now)).toThrow(lost);
    expect(() => releaseSlot(row, fence, now + 100)).toThrow(lost);
    expect(() => releaseSlot(row, fence + 1, now)).toThrow(lost);
  });

  test('is never granted under a fence that was issued before', () => {
    const place = new Place();
    const lease = place.take(now);
    const again = () => place.apply('proposal-granted', { leases: [lease] }, now + 200);
    expect(again).toThrow('was handed out before');
  });
});

describe('slots', () => {
  test('are limited in number and say when the next one ends', () => {
    const place = new Place();
    place.take(now, 3, 300);
    place.take(now, 3, 100);
    place.take(now, 3, 200);
    expect(() => place.take(now, 3)).toThrow(`taken until ${now + 100}`);
    // After somebody lowered the number, two of them have to end first.
    expect(() => place.take(now, 2)).toThrow(`taken until ${now + 200}`);
    expect(place.take(now + 100, 3).fence).toBe(4);
    expect(place.row()?.leases).toHaveLength(3);
  });

  test('last at most limits.leaseMsMax', () => {
    const place = new Place();
    expect(place.take(now, 1, sharedLimits.leaseMsMax).expiresAt).toBe(
      now + sharedLimits.leaseMsMax,
    );
    expect(() => place.take(now, 1, sharedLimits.leaseMsMax + 1)).toThrow(
      expect.objectContaining({ code: 'LEASE_TTL_INVALID' }),
    );
  });
});

describe('the key of a slot', () => {
  test('contains a readable resource as it is', () => {
    expect(slotKey('lock:order/1')).toBe('slots/lock:order/1');
    expect(slotKey('x'.repeat(300))).toBe(`slots/${'x'.repeat(300)}`);
  });

  const others = ['', 'order 1', 'Straße', 'x'.repeat(301), 'a\u0000b', '\ud800'];

  test.each(others)('contains a hash in place of %j', (resource) => {
    expect(slotKey(resource)).toMatch(/^slots\/sha256:[0-9a-f]{64}$/);
  });

  test('differs for every resource, also for one that looks like a hash', () => {
    const keys = [...others, ...others.map((name) => slotKey(name).slice('slots/'.length))];
    expect(new Set(keys.map(slotKey)).size).toBe(keys.length);
  });
});
