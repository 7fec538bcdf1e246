import type { ServiceClient } from '../../shared/http-client.ts';
import type { Route } from '../../shared/route.ts';
import type { Authorise } from './auth.ts';

/** What clients were told about one of their orders or trades. */
export function notificationRoutes(authorise: Authorise, notifications: ServiceClient): Route[] {
  return [
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
