import { urlFrom } from '../../shared/environment.ts';
import { createClient } from '../../shared/http-client.ts';
import type { Metrics } from '../../shared/metrics.ts';
import type { TradeSurroundings } from './trade.ts';

type Surroundings = TradeSurroundings & { stop(): Promise<void> };

/**
 * The services and the broker that this platform has besides the five that it can't do without:
 * those whose address is given. Their clients are loaded only then.
 */
export async function surroundings(metrics: Metrics): Promise<Surroundings> {
  const { RISK_ADDRESS, FEES_URL, NATS_URL } = process.env;
  const found: Surroundings = { stop: async () => undefined };
  if (RISK_ADDRESS) {
    found.checkLimit = (await import('./risk-client.ts')).createCheckLimit(RISK_ADDRESS);
  }
  if (FEES_URL) {
    const { createFeeOf } = await import('./fees-client.ts');
    found.feeOf = createFeeOf(createClient('fees', urlFrom('FEES_URL', FEES_URL), metrics));
  }
  if (NATS_URL) {
    const { connectNats } = await import('../../shared/nats.ts');
    const nats = await connectNats(urlFrom('NATS_URL', NATS_URL), 'orders');
    found.announce = ({ subject, ...event }) => nats.publish(subject, JSON.stringify(event));
    found.stop = () => nats.drain();
  }
  return found;
}
