import type { Hop } from '../../router/index.ts';
import type { ServiceConfig } from '../../system/index.ts';
import type { Candidate } from '../api-schema.ts';

/** As much of a lane and of a system as this needs. */
export interface ChangedServices {
  readonly candidates: readonly (Pick<Candidate, 'service' | 'instance'> &
    Partial<Pick<Candidate, 'version'>>)[];
}

export interface Services {
  readonly services: Readonly<
    Record<
      string,
      Pick<ServiceConfig, 'dependsOn'> & Partial<Pick<ServiceConfig, 'tagging' | 'protocol'>>
    >
  >;
}

/**
 * Only the preload says which instance it is in. Of a candidate without it the router is the
 * witness: an answer that came over a connection to the candidate's own port was the candidate's.
 */
export function witnessed(
  hops: readonly Hop[],
  { candidates }: ChangedServices,
  { services }: Services,
): readonly Hop[] {
  const mute = new Set(
    candidates
      .filter(({ service }) => (services[service]?.tagging ?? 'preload') !== 'preload')
      .map(({ instance }) => instance),
  );
  if (mute.size === 0) return hops;
  return hops.map((hop) => {
    const isServed = hop.served === null && hop.answered === true && mute.has(hop.instance);
    return isServed ? { ...hop, served: hop.instance } : hop;
  });
}
