import type { Notification } from './notification.ts';

export interface Inbox {
  add(notification: Notification): void;
  about(id: string): Notification[];
}

/** The last ones, in memory: a notification that nobody fetched is of no use tomorrow. */
export function createInbox(notificationsMax: number): Inbox {
  const kept: Notification[] = [];
  return {
    add(notification) {
      kept.push(notification);
      if (kept.length > notificationsMax) kept.shift();
    },
    about: (id) => kept.filter(({ about }) => about === id),
  };
}
