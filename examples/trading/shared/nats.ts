import { connect, type NatsConnection } from '@nats-io/transport-node';

/** Comes back by itself after it was lost; that it can't be had at all ends the service. */
export async function connectNats(url: string, name: string): Promise<NatsConnection> {
  try {
    return await connect({ servers: url, name, maxReconnectAttempts: -1 });
  } catch (error) {
    throw new Error(`NATS at ${url} did not answer: ${(error as Error).message}.`);
  }
}
