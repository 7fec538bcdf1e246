import { bareHosts } from '../../lanes/index.ts';
import { loadConfig } from '../load-config.ts';
import type { WorkspacePlace } from '../place.ts';
import type { DoctorCheck } from './doctor-check.ts';

/** Whether services without the preload reach others by router ports, so that lanes see them. */
export function checkAddresses(place: WorkspacePlace): Omit<DoctorCheck, 'name'> {
  const config = loadConfig(place);
  const bare = Object.entries(config.services)
    .filter(([, { tagging }]) => tagging === 'baggage')
    .flatMap(([name]) => bareHosts(name, config).map((host) => ({ name, ...host })));
  if (bare.length === 0) return { level: 'ok', detail: 'all that are given name a port' };
  const named = bare.map(({ name, variable, service }) => `${variable} of ${name} (${service})`);
  return {
    level: 'warn',
    detail: `without a port, so lanes do not see these calls: ${named.join(', ')}`,
    remedy: 'give host and port in the environment, as in PRICING_URL or PRICING_HOST and _PORT',
  };
}
