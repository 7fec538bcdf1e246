import type { Lane } from './lane.ts';
import type { Hop } from './routes.ts';

export type ServiceReach = {
  readonly service: string;
  readonly instance: string;
  /** Requests that were sent to the candidate. */
  readonly sent: number;
  /** Requests of which the candidate itself said that it served them. */
  readonly served: number;
};

export type Reach = {
  readonly proven: boolean;
  readonly candidates: readonly ServiceReach[];
  readonly hops: number;
  /** Services that were reached with the key, but whose calls never carried it on. */
  readonly silent: readonly string[];
};

/**
 * Whether the candidates really served the lane's requests: sent is what the router did, served is
 * what the instance answered about itself. A run without both proves nothing.
 */
export function proveReach({ candidates }: Lane, hops: readonly Hop[]): Reach {
  const reached = candidates.map(({ service, instance }) => ({
    service,
    instance,
    sent: hops.filter((hop) => hop.instance === instance).length,
    served: hops.filter((hop) => hop.served === instance).length,
  }));
  const callers = new Set(hops.map(({ from }) => from));
  const receivers = new Set(hops.map(({ to }) => to));
  return {
    proven:
      reached.length > 0 && reached.every(({ sent, served }) => served > 0 && sent === served),
    candidates: reached,
    hops: hops.length,
    silent: [...receivers].filter((service) => !callers.has(service)).sort(),
  };
}
