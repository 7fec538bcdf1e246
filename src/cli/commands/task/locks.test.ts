import { expect, test } from 'vitest';
import { checkHeld } from './locks.ts';

const none = { lock: 'db', fence: null, expiresAt: null, ticket: null, position: null, heldBy: [] };

test('a wait that ended without the lock is a fault, so that a script stops', () => {
  expect(() => checkHeld({ ...none, state: 'gone' })).toThrow(
    expect.objectContaining({ code: 'LOCK_WAIT_ENDED', values: { lock: 'db' } }),
  );
});

test('a lock that is held is passed on with its fence', () => {
  const held = { ...none, state: 'held' as const, fence: 7, expiresAt: 5 };
  expect(checkHeld(held)).toBe(held);
});
