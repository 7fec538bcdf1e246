import { type Fault, fault } from '../../kernel/index.ts';
import type { Config, ServiceConfig } from '../../system/index.ts';
import { isHealthy } from '../host/health.ts';
import { readSecrets } from '../secrets/secrets.ts';

export function checkAny({ services }: Config): void {
  if (Object.keys(services).length > 0) return;
  throw fault('SYSTEM_EMPTY', { path: 'surety.yaml' });
}

export function findService({ services }: Config, service: string): ServiceConfig {
  const found = Object.hasOwn(services, service) ? services[service] : undefined;
  if (found) return found;
  throw fault('SERVICE_UNKNOWN', { service, known: Object.keys(services).join(', ') || 'none' });
}

/** Refuses a service that runs elsewhere. */
export function startable(system: Config, service: string): ServiceConfig {
  const config = findService(system, service);
  if (!config.isElsewhere) return config;
  throw fault('SERVICE_ELSEWHERE', { service, address: `${config.host}:${config.port}` });
}

export async function checkSecrets(
  services: readonly (readonly [string, ServiceConfig])[],
  root: string,
): Promise<void> {
  const reads = services.map(([service, { secrets: references }]) =>
    readSecrets({ service, references, root }),
  );
  await Promise.all(reads);
}

/** Versions of one service may share its port; a stranger would silently get half of it. */
export async function checkPort({ port }: Pick<ServiceConfig, 'port'>): Promise<void> {
  if (await isHealthy({ port })) throw portTaken(port);
}

export function portTaken(port: number): Fault {
  return fault('PORT_TAKEN', { port, host: '127.0.0.1' });
}
