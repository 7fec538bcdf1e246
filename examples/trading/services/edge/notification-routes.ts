import type { ServiceClient } from '../../shared/http-client.ts';
import type { Route } from '../../shared/route.ts';
import type { Authorise } from './auth.ts';
import { deskPage } from './desk-page.ts';

/** What clients were told about one of their orders or trades, and a page that shows it. */
export function notificationRoutes(authorise: Authorise, notifications: ServiceClient): Route[] {
  return [
    deskPage,
    {
      method: 'GET',
      path: '/notifications/:about',
      handle: ({ headers, path, requestId }) => {
        authorise(headers.authorization, 'orders:read');
        return notifications({ method: 'GET', path, requestId });
      },
    },
  ];
}
