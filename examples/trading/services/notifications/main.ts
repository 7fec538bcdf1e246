import { portFrom, urlFrom } from '../../shared/environment.ts';
import type { PlatformEvent } from '../../shared/events.ts';
import { createLog } from '../../shared/log.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { connectNats } from '../../shared/nats.ts';
import { runService } from '../../shared/service.ts';
import { createInbox } from './inbox.ts';
import { notificationFor } from './notification.ts';

const NOTIFICATIONS_MAX = 10_000;
/** However many of this service run, each event is for one of them. */
const GROUP = 'notifications';

const log = createLog('notifications');
const inbox = createInbox(NOTIFICATIONS_MAX);
const nats = await connectNats(urlFrom('NATS_URL', 'nats://127.0.0.1:4222'), 'notifications');

for (const subject of ['orders.*', 'trades.*']) {
  nats.subscribe(subject, {
    queue: GROUP,
    callback: (error, message) => {
      if (error) return log.error('subscription failed', { subject, reason: error.message });
      const event = { ...message.json<PlatformEvent>(), subject: message.subject };
      const notification = notificationFor(event as PlatformEvent);
      inbox.add(notification);
      log.info('notified', { ...notification });
    },
  });
}
await nats.flush();
await runService({
  name: 'notifications',
  port: portFrom('PORT', 4308),
  routes: [
    {
      method: 'GET',
      path: '/notifications/:about',
      handle: ({ params: { about = '' } }) => ({
        status: 200,
        body: { notifications: inbox.about(about) },
      }),
    },
  ],
  metrics: createMetrics(),
  log,
  check: () => nats.flush(),
  stop: () => nats.drain(),
});
