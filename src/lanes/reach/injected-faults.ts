import type { Hop } from '../../router/index.ts';

/**
 * It met a fault that its request had asked for, and never got to the service. Where only the
 * answer is to be lost it gets there: that none came is the service's doing.
 */
export function isStruck({ injected, answered }: Hop): boolean {
  return injected !== undefined && !injected.includes('lost') && answered === false;
}

/** With the status that the service gave: of a lost answer its caller has got none. */
export function asAnswered(hop: Hop): Hop {
  return hop.lostStatus === undefined ? hop : { ...hop, status: hop.lostStatus };
}
