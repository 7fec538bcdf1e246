import type { Projection } from '../ledger/index.ts';

/** What the ledger knows of a service of the baseline that was started and not stopped. */
export type ServiceRow = {
  readonly service: string;
  readonly instance: string;
  /** The version it runs; null outside of a git repository. */
  readonly commit: string | null;
  readonly port: number;
};

export const servicePrefix = 'service/';
export const serviceKey = (service: string): string => servicePrefix + service;

export const baselineServices: Projection = {
  kinds: ['service-started', 'service-stopped'],
  keys: ({ body }) => [serviceKey(String(body.service))],
  apply: (rows, { kind, body }) => {
    const service = String(body.service);
    const row: ServiceRow = {
      service,
      instance: String(body.instance),
      commit: body.commit === null ? null : String(body.commit),
      port: Number(body.port),
    };
    rows.set(serviceKey(service), kind === 'service-started' ? row : undefined);
  },
};
