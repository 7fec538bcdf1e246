import type { ServiceConfig } from '../../system/index.ts';
import type { ServiceStatus } from '../api-schema.ts';
import { isHealthy } from '../host/health.ts';
import type { InstanceState } from '../host/host.ts';
import type { ServiceRow } from './services.ts';

export interface ServiceObservation {
  readonly config: ServiceConfig;
  readonly row: ServiceRow | undefined;
  readonly instance: InstanceState | undefined;
  /** What is being done with it right now. */
  readonly phase: string | undefined;
}

/** The observable state of a service. */
export async function serviceStatus(
  service: string,
  seen: ServiceObservation,
): Promise<ServiceStatus> {
  const { config, row, instance } = seen;
  const { state, reason } = await stateAndReason(seen);
  const isThere = instance !== undefined && instance.state === 'running';
  const known = isThere ? row : undefined;
  return {
    service,
    port: config.port,
    state,
    reason,
    address: config.isElsewhere ? `${config.host}:${config.port}` : null,
    pid: isThere ? instance.pid : null,
    instance: known?.instance ?? null,
    commit: known?.commit ?? null,
    overlay: known?.overlay ?? null,
    restarts: instance?.restarts ?? 0,
    startedAt: isThere ? instance.startedAt : null,
    memoryBytes: instance?.memoryBytes ?? null,
    cpuMs: instance?.cpuMs ?? null,
    processes: instance?.processes ?? null,
  };
}

type Judgement = Pick<ServiceStatus, 'state' | 'reason'>;

async function stateAndReason({
  config,
  instance,
  row,
  phase,
}: ServiceObservation): Promise<Judgement> {
  if (phase !== undefined) return { state: 'starting', reason: phase };
  if (!config.isElsewhere && instance?.state !== 'running') return absent(row, instance);
  if (await isHealthy(config)) return { state: 'running', reason: instance?.ended ?? null };
  const { host, port, health = '' } = config;
  return { state: 'unhealthy', reason: `${host}:${port}${health} does not answer as it should` };
}

function absent(row: ServiceRow | undefined, instance: InstanceState | undefined): Judgement {
  if (!row) return { state: 'stopped', reason: null };
  if (instance?.state === 'restarting') return { state: 'restarting', reason: instance.ended };
  if (!instance) return { state: 'stopped', reason: 'it is gone, and nobody saw how' };
  if (instance.state === 'stopped') return { state: 'stopped', reason: instance.ended };
  const times = instance.restarts > 0 ? `, ${instance.restarts + 1} times in a row` : '';
  return { state: 'crashed', reason: `${instance.ended}${times}` };
}
