import { fault, nearest } from '../kernel/index.ts';
import type { Config, ServiceConfig } from './complete.ts';

/** The system as an overlay runs it. */
export function withOverlay(config: Config, name: string | null): Config {
  if (name === null) return config;
  const overlay = Object.hasOwn(config.overlays, name) ? config.overlays[name] : undefined;
  if (!overlay) throw unknown(config, name);
  const services = Object.entries(config.services).map(([service, plain]) => {
    const different = Object.hasOwn(overlay.services, service) && overlay.services[service];
    return [service, different ? changed(plain, different) : plain];
  });
  return { ...config, services: Object.fromEntries(services) };
}

type Different = Config['overlays'][string]['services'][string];

function changed(service: ServiceConfig, different: Different): ServiceConfig {
  const { command = service.command, environment, secrets, limits } = different;
  return {
    ...service,
    command,
    environment: { ...service.environment, ...environment },
    secrets: { ...service.secrets, ...secrets },
    limits: { ...service.limits, ...limits },
  };
}

function unknown({ overlays }: Config, name: string): Error {
  const known = Object.keys(overlays);
  const meant = nearest(name, known);
  const hint = meant ? `Did you mean ${meant}? ` : '';
  return fault('OVERLAY_UNKNOWN', { overlay: name, hint, known: known.join(', ') || 'none' });
}
