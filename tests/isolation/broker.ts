import { connect, type NatsConnection } from 'nats';

let connection: Promise<NatsConnection> | undefined;

/** One connection for everything that a process sends and consumes. */
export function broker(): Promise<NatsConnection> {
  connection ??= connect({ port: Number(process.env.NATS_PORT) });
  return connection;
}

/** All versions of a service consume the same. */
export const subjectOf = (service: string): string => `isolation.${service}`;
