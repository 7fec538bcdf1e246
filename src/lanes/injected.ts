import type { Hop } from './routes.ts';

/** It met a fault that its request had asked for, and never got to the service. */
export function isStruck({ injected, answered }: Hop): boolean {
  return injected !== undefined && answered === false;
}
