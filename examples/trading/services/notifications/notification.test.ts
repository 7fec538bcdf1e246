import { expect, it } from 'vitest';
import { createInbox } from './inbox.ts';
import { notificationFor } from './notification.ts';

it.each([
  [{ subject: 'orders.received', id: 'ord_1', total: 29.9 }, /received/],
  [{ subject: 'orders.paid', id: 'ord_1', total: 29.9 }, /paid: 29\.90\.$/],
  [
    { subject: 'trades.made', id: 'trd_1', symbol: 'ACME', quantity: 3, status: 'refused' },
    /3 ACME is refused/,
  ],
] as const)('tells of %j', (event, text) => {
  const notification = notificationFor(event);
  expect(notification.about).toBe(event.id);
  expect(notification.text).toMatch(text);
});

it('keeps the newest ones', () => {
  const inbox = createInbox(2);
  for (const text of ['one', 'two', 'three']) inbox.add({ about: 'ord_1', text });
  expect(inbox.about('ord_1').map(({ text }) => text)).toEqual(['two', 'three']);
  expect(inbox.about('ord_2')).toEqual([]);
});
