import type { PlatformEvent } from '../../shared/events.ts';

export interface Notification {
  /** The id of the order or trade. */
  about: string;
  text: string;
}

/** What the client reads on the telephone. */
export function notificationFor(event: PlatformEvent): Notification {
  return { about: event.id, text: textFor(event) };
}

function textFor(event: PlatformEvent): string {
  switch (event.subject) {
    case 'orders.received':
      return 'We received your order.';
    case 'orders.paid':
      return `Your order is paid: ${event.total.toFixed(2)}.`;
    case 'trades.made':
      return `Your trade of ${event.quantity} ${event.symbol} is ${event.status}.`;
  }
}
